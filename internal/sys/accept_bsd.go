//go:build dragonfly || freebsd || netbsd || openbsd

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// noSignal keeps a send from raising SIGPIPE.
const noSignal = unix.MSG_NOSIGNAL

func accept(fd int) (int, Addr, syscall.Errno) {
	nfd, _, err := syscall.Accept4(fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err != nil {
		return -1, Addr{}, errno(err)
	}
	return nfd, RemoteAddr(nfd), 0
}

// QuietSocket keeps a socket from raising SIGPIPE, where flags cannot.
func QuietSocket(int) syscall.Errno { return 0 }
