//go:build unix

package main

import "golang.org/x/sys/unix"

// descriptorLimit is how many descriptors the process may have, once it has been
// raised as far as that is permitted.
func descriptorLimit() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fewDescriptors
	}
	if raised := limit; raised.Cur < raised.Max {
		raised.Cur = raised.Max
		if unix.Setrlimit(unix.RLIMIT_NOFILE, &raised) == nil {
			limit = raised
		}
	}
	return int(min(uint64(limit.Cur), 1<<20))
}
