package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// socket has no flags for it here, so a fork must not come in between.
func socket(family, typ int) (int, error) {
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(family, typ, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err == nil {
		if err = unix.SetNonblock(fd, true); err != nil {
			_ = unix.Close(fd)
		}
	}
	return fd, err
}
