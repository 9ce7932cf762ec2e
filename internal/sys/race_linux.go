//go:build race && linux

package sys

import "syscall"

// Under the race detector data that passes through a descriptor orders the
// two sides, as it does in package syscall; raw calls would hide that.

func read(fd int, b []byte) (int, syscall.Errno) { return result(syscall.Read(fd, b)) }

// raceRelease makes a syscall.Write that fails, for the sake of what it tells
// the race detector first.
func raceRelease() { _, _ = syscall.Write(-1, nil) }
