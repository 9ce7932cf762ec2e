//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// Inspect looks at fd, and changes nothing.
func Inspect(fd int) (Facts, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return Facts{}, os.NewSyscallError("fstat", err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		return inspectSocket(fd)
	case unix.S_IFIFO:
		return Facts{Class: ClassPipe}, nil
	case unix.S_IFCHR:
		if isTerminal(fd) {
			return Facts{Class: ClassTTY}, nil
		}
	}
	return Facts{}, nil
}

func inspectSocket(fd int) (Facts, error) {
	typ, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return Facts{}, os.NewSyscallError("getsockopt", err)
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return Facts{}, os.NewSyscallError("getsockname", err)
	}
	f := Facts{Class: ClassDatagram}
	if typ == unix.SOCK_STREAM {
		f.Class = ClassStream
	}
	switch sa.(type) {
	case *unix.SockaddrInet4:
		f.TCP = f.Class == ClassStream
	case *unix.SockaddrInet6:
		f.TCP, f.Inet6 = f.Class == ClassStream, true
	}
	return f, nil
}

// SetNonblock makes fd non-blocking, and reports whether it was not so before.
func SetNonblock(fd int) (changed bool, err error) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return false, os.NewSyscallError("fcntl", err)
	}
	if flags&unix.O_NONBLOCK != 0 {
		return false, nil
	}
	return true, os.NewSyscallError("fcntl", unix.SetNonblock(fd, true))
}

// SetBlocking undoes SetNonblock, for those who share the descriptor.
func SetBlocking(fd int) { _ = unix.SetNonblock(fd, false) }

// CloseOnExec keeps children from inheriting fd.
func CloseOnExec(fd int) { unix.CloseOnExec(fd) }

// Check reports whether fd is open.
func Check(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return os.NewSyscallError("fcntl", err)
}

// PollReady blocks until fd is ready to be read from, or written to.
func PollReady(fd int, write bool) error {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if write {
		p[0].Events = unix.POLLOUT
	}
	for {
		_, err := unix.Poll(p, -1)
		if err != unix.EINTR {
			return os.NewSyscallError("poll", err)
		}
	}
}
