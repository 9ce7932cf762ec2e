//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package sys

import "golang.org/x/sys/unix"

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TIOCGETA)
	return err == nil
}

// Reopen opens a terminal once more where the system has a safe way to; here
// it has none, and the result is -1.
func Reopen(int) int { return -1 }
