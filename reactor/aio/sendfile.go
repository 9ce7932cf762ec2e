package aio

import (
	"io"
	"math"
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/scheduler"
)

// sendChunk is how much of a file is sent before others have a turn at it.
const sendChunk = 1 << 20

// sendFile sends what r has, where that is a file of the same loop's and the system
// can send it by itself. Handled is false where nothing was done.
//
// The system may block on the file, so it is told to off the loop, and that with a
// duplicate of the socket's descriptor, which stays what it is should the connection
// be closed meanwhile.
func (c *Conn) sendFile(r io.Reader) (sent int64, handled bool, err error) {
	left := int64(math.MaxInt64)
	limited, isLimited := r.(*io.LimitedReader)
	if isLimited {
		r, left = limited.R, limited.N
	}
	f, isFile := r.(*File)
	co := c.s.Running()
	if !sys.CanSendFile || !isFile || co == nil || f.s != c.s || left <= 0 {
		return 0, false, nil
	}
	release, err := c.out.hold(co)
	if err != nil {
		return 0, true, err
	}
	defer release()
	socket := -1
	err = c.withDescriptor(func(fd int) error {
		var errno syscall.Errno
		socket, errno = sys.Duplicate(fd)
		return asError(errno)
	})
	if err != nil {
		return 0, true, err
	}
	defer sys.Close(socket)
	for sent < left {
		n, full, err := f.sendTo(co, socket, int(min(sendChunk, left-sent)))
		sent += int64(n)
		if isLimited {
			limited.N -= int64(n)
		}
		switch {
		case sent == 0 && (err == syscall.EINVAL || err == syscall.ENOSYS):
			return 0, false, nil // not of this file
		case err != nil:
			return sent, true, callError("sendfile", err)
		case full:
			if err := c.out.suspend(co, &call{kind: ready}); err != nil {
				return sent, true, err
			}
		case n == 0:
			return sent, true, nil
		}
		if err := c.out.refuse(); err != nil {
			return sent, true, err
		}
	}
	return sent, true, nil
}

// sendTo sends up to max bytes to a socket; full says that it takes no more now.
func (f *File) sendTo(co *scheduler.Coroutine, socket, max int) (sent int, full bool, err error) {
	a := call{kind: file, do: func(fd int) (n int, err error) {
		for n < max {
			m, errno := sys.SendFile(socket, fd, max-n)
			switch {
			case errno == syscall.EAGAIN:
				full = true
				return n, nil
			case errno != 0:
				return n, errno
			case m == 0:
				return n, nil
			}
			n += m
		}
		return n, nil
	}}
	err = f.in.suspend(co, &a)
	return a.n, full, err
}

// callError names the system call that err is of, if it is of one.
func callError(name string, err error) error {
	if errno, ok := err.(syscall.Errno); ok {
		return os.NewSyscallError(name, errno)
	}
	return err
}
