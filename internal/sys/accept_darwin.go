package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// noSignal is nothing: macOS has an option of the socket instead, see QuietSocket.
const noSignal = 0

// accept sets what accept4 would set elsewhere, and keeps a fork out meanwhile.
func accept(fd int) (int, Addr, syscall.Errno) {
	syscall.ForkLock.RLock()
	nfd, sa, err := unix.Accept(fd)
	if err == nil {
		unix.CloseOnExec(nfd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, Addr{}, errno(err)
	}
	e := errno(unix.SetNonblock(nfd, true))
	if e == 0 {
		e = QuietSocket(nfd)
	}
	if e != 0 {
		_ = unix.Close(nfd)
		return -1, Addr{}, e
	}
	return nfd, address(sa), 0
}

// QuietSocket keeps a socket from raising SIGPIPE. A peer that is gone already
// makes the option fail, and the first write tell.
func QuietSocket(fd int) syscall.Errno {
	e := errno(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_NOSIGPIPE, 1))
	if e == unix.EINVAL {
		return 0
	}
	return e
}
