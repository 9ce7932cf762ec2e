package main

// fewDescriptors are as many as any system allows.
const fewDescriptors = 256

// sparedDescriptors are those that are left for what is no connection.
const sparedDescriptors = 56

// connectionsWithin is how many of the wanted connections a limit of descriptors
// allows: both ends are in this process.
func connectionsWithin(limit, wanted int) int {
	return max(1, min(wanted, (limit-sparedDescriptors)/2))
}
