//go:build !race && linux

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func read(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(first(b)), uintptr(len(b)))
	return int(n), e
}

func raceRelease() {}
