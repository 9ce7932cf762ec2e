package work

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// sparedDescriptors are those of a process that are no connections.
const sparedDescriptors = 64

// connectionsAllowed is how many connections a process may have.
func connectionsAllowed() int {
	var limit unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_NOFILE, &limit)) // which Go has raised as far as that is permitted
	return int(min(limit.Cur, 1<<20)) - sparedDescriptors
}

// tooFewDescriptors is why so many connections cannot be had, "" where they can.
func tooFewDescriptors(connections int) string {
	if allowed := connectionsAllowed(); connections > allowed {
		return fmt.Sprintf("the limit of descriptors (ulimit -n) leaves room for %d connections", allowed)
	}
	return ""
}
