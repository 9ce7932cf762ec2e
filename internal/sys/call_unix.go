//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// maxRW is the most that one call is asked for: some systems refuse 2 GiB, and
// 1 GiB keeps later calls aligned.
const maxRW = 1 << 30

// Read reads from a non-blocking descriptor. On a blocking one it would hold
// up more than its own goroutine.
func Read(fd int, b []byte) (int, syscall.Errno) { return transfer(CallRead, fd, b, read) }

// Write writes to a non-blocking descriptor that is no socket.
func Write(fd int, b []byte) (int, syscall.Errno) { return transfer(CallWrite, fd, b, write) }

// Send writes to a non-blocking, connected socket, and raises no SIGPIPE.
func Send(fd int, b []byte) (int, syscall.Errno) { return transfer(CallWrite, fd, b, send) }

// ReadBlocking is Read for a goroutine that may block.
func ReadBlocking(fd int, b []byte) (int, syscall.Errno) {
	return transfer(CallRead, fd, b, func(fd int, b []byte) (int, syscall.Errno) { return result(syscall.Read(fd, b)) })
}

// WriteBlocking is Write for a goroutine that may block.
func WriteBlocking(fd int, b []byte) (int, syscall.Errno) {
	return transfer(CallWrite, fd, b, func(fd int, b []byte) (int, syscall.Errno) { return result(syscall.Write(fd, b)) })
}

func transfer(c Call, fd int, b []byte, call func(fd int, b []byte) (int, syscall.Errno)) (int, syscall.Errno) {
	for {
		n, e := consult(c, fd, min(len(b), maxRW))
		if e == 0 {
			n, e = call(fd, b[:n])
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}

// WriteV writes several buffers with one call; a socket raises no SIGPIPE.
// Vec is scratch space that the caller keeps from call to call.
func WriteV(fd int, socket bool, bufs [][]byte, vec *Vec) (int, syscall.Errno) {
	for {
		limit, e := consult(CallWrite, fd, maxRW)
		n := 0
		if e == 0 {
			n, e = writev(fd, socket, bufs, limit, vec)
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}

// Receive receives one datagram, of which what does not fit is lost.
func Receive(fd int, b []byte) (int, Addr, syscall.Errno) {
	for {
		n, e := consult(CallReceive, fd, len(b))
		var from Addr
		if e == 0 {
			n, from, e = recvfrom(fd, b[:n])
		}
		if e != unix.EINTR {
			n, e = count(n, e)
			return n, from, e
		}
	}
}

// SendTo sends one datagram; to may be invalid on a connected socket.
func SendTo(fd int, b []byte, to Addr, inet6 bool) (int, syscall.Errno) {
	for {
		n, e := consult(CallSend, fd, len(b))
		if e == 0 {
			n, e = sendto(fd, b[:n], to, inet6)
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}

// Accept takes a connection, close-on-exec and non-blocking.
func Accept(fd int) (int, Addr, syscall.Errno) {
	for {
		_, e := consult(CallAccept, fd, 0)
		var (
			nfd  int
			peer Addr
		)
		if e == 0 {
			nfd, peer, e = accept(fd)
		}
		if e != unix.EINTR {
			return nfd, peer, e
		}
	}
}

// Connect begins to connect; EINPROGRESS says that it goes on. An interrupted
// connect goes on too, and is not begun again.
func Connect(fd int, to Addr, inet6 bool) syscall.Errno {
	_, injected := consult(CallConnect, fd, 0)
	if injected != 0 && injected != unix.EINTR {
		return injected
	}
	sa, e := sockaddr(to, inet6)
	if e != 0 {
		return e
	}
	e = errno(unix.Connect(fd, sa))
	if e == unix.EINTR || e == 0 && injected == unix.EINTR {
		return unix.EINPROGRESS
	}
	return e
}

// Connected says how a connect has ended: EINPROGRESS that it has not.
func Connected(fd int) syscall.Errno {
	v, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return errno(err)
	}
	if v != 0 {
		return syscall.Errno(v)
	}
	// No error yet does not mean connected: readiness may have been spurious.
	if _, err := unix.Getpeername(fd); err != nil {
		if errno(err) == unix.ENOTCONN {
			return unix.EINPROGRESS
		}
		return errno(err)
	}
	return 0
}

// Close closes fd, once: after EINTR the descriptor is gone on every system
// that matters here, and its number may be another's already.
func Close(fd int) syscall.Errno {
	_, injected := consult(CallClose, fd, 0)
	e := errno(syscall.Close(fd))
	if injected != 0 {
		e = injected
	}
	if e == unix.EINTR || e == unix.EINPROGRESS {
		return 0
	}
	return e
}

func count(n int, e syscall.Errno) (int, syscall.Errno) {
	if e != 0 {
		return 0, e
	}
	return n, 0
}

func result(n int, err error) (int, syscall.Errno) { return n, errno(err) }

func errno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	if e, ok := err.(syscall.Errno); ok {
		return e
	}
	return unix.EIO
}
