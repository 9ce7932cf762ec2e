package sys

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}

// Reopen opens a terminal once more, so that making it non-blocking does not
// reach those who share fd: the shell we were started from, for one. The
// result is -1 where that cannot be, as on the controlling side of a pair.
func Reopen(fd int) int {
	if _, err := unix.IoctlGetInt(fd, unix.TIOCGPTN); err == nil {
		return -1
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return -1
	}
	nfd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), flags&unix.O_ACCMODE|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return nfd
}
