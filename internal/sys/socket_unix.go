//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sys

import (
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Family is an address family.
type Family int

// The families.
const (
	Inet4 = Family(unix.AF_INET)
	Inet6 = Family(unix.AF_INET6)
	Local = Family(unix.AF_UNIX)
)

// Socket opens a socket of bytes or of messages, close-on-exec and
// non-blocking. One of Inet6 takes IPv4 too where the system can, unless only6;
// one of messages may broadcast.
func Socket(family Family, datagram, only6 bool) (int, syscall.Errno) {
	typ := unix.SOCK_STREAM
	if datagram {
		typ = unix.SOCK_DGRAM
	}
	if _, e := consult(CallOpen, -1, 0); e != 0 {
		return -1, e
	}
	fd, err := socket(int(family), typ)
	if err != nil {
		return -1, errno(err)
	}
	if family == Inet6 {
		// Some systems never allow it; there IPv4 needs a socket of its own.
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, asInt(only6))
	}
	if datagram && family != Local {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_BROADCAST, 1); err != nil {
			_ = Close(fd)
			return -1, errno(err)
		}
	}
	return fd, 0
}

// Bind gives a socket its own address.
func Bind(fd int, to Addr, inet6 bool) syscall.Errno {
	sa, e := sockaddr(to, inet6)
	if e != 0 {
		return e
	}
	return errno(unix.Bind(fd, sa))
}

// Listen has a socket take connections.
func Listen(fd, backlog int) syscall.Errno { return errno(unix.Listen(fd, backlog)) }

// ReuseAddr lets an address be bound that was in use a moment ago.
func ReuseAddr(fd int) syscall.Errno {
	return errno(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1))
}

// ReusePort lets several sockets be bound to one address.
func ReusePort(fd int) syscall.Errno {
	return errno(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
}

// NoDelay has small writes sent at once, or collected.
func NoDelay(fd int, on bool) syscall.Errno {
	return errno(unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, asInt(on)))
}

// Shutdown ends one direction of a connection, or both.
func Shutdown(fd int, read, write bool) syscall.Errno {
	how := unix.SHUT_RDWR
	switch {
	case !write:
		how = unix.SHUT_RD
	case !read:
		how = unix.SHUT_WR
	}
	return errno(unix.Shutdown(fd, how))
}

// Linger says what Close does about data that has not been sent: less than 0,
// the system sends it in the background; 0, it is dropped and the peer sees a
// reset; above 0, as less than 0, for so many seconds.
func Linger(fd, seconds int) syscall.Errno {
	l := unix.Linger{}
	if seconds >= 0 {
		l.Onoff, l.Linger = 1, int32(seconds)
	}
	return errno(unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &l))
}

// Buffers sets the size of a socket's buffers, in bytes; 0 leaves one as it is.
func Buffers(fd, read, write int) syscall.Errno {
	for opt, size := range map[int]int{unix.SO_RCVBUF: read, unix.SO_SNDBUF: write} {
		if size > 0 {
			if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, opt, size); err != nil {
				return errno(err)
			}
		}
	}
	return 0
}

// KeepAlive has the system ask a silent peer whether it is there. Of idle,
// interval and count those below or at 0 are left as they are.
func KeepAlive(fd int, on bool, idle, interval time.Duration, count int) syscall.Errno {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, asInt(on)); err != nil || !on {
		return errno(err)
	}
	for _, o := range [...]struct{ opt, value int }{
		{keepIdle, wholeSeconds(idle)},
		{keepInterval, wholeSeconds(interval)},
		{keepCount, count},
	} {
		if o.opt == 0 || o.value <= 0 { // not the system's, or not ours to change
			continue
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, o.opt, o.value); err != nil {
			return errno(err)
		}
	}
	return 0
}

// wholeSeconds is d rounded up.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// OptionsInherited reports whether an accepted connection has the options of
// its listener.
func OptionsInherited() bool { return runtime.GOOS == "linux" }
