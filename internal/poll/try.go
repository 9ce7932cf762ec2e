//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package poll

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// errImpossible is for a kernel that says it did more than it was asked for.
var errImpossible = errors.New("the system reports more bytes than were asked for")

// try carries out op as far as it goes without blocking. False says that it
// must wait for readiness of its direction, whose may is then off.
func (e *Readiness) try(d *Desc, op *Op) (done bool) {
	switch op.Kind {
	case Read:
		return e.tryRead(d, op)
	case Write:
		return e.tryWrite(d, op)
	case WriteV:
		return e.tryWriteV(d, op)
	case Receive:
		n, from, errno := sys.Receive(d.fd, op.Buf)
		op.N, op.Addr = n, from
		return e.outcome(d, op, in, "recvfrom", errno)
	case Send:
		n, errno := sys.SendTo(d.fd, op.Buf, op.Addr, d.traits.Inet6)
		op.N = n
		return e.outcome(d, op, out, "sendto", errno)
	case Accept:
		return e.tryAccept(d, op)
	case Connect:
		return e.tryConnect(d, op)
	case Ready:
		return true
	case Call:
		return e.tryCall(d, op)
	}
	panic("poll: request of unknown kind")
}

// outcome sorts what a call has answered: done with or without an error, or to
// be tried again when ready.
func (e *Readiness) outcome(d *Desc, op *Op, dir int, call string, errno syscall.Errno) (done bool) {
	switch errno {
	case 0:
		return true
	case syscall.EAGAIN:
		d.may[dir] = false
		return false
	}
	op.Err = os.NewSyscallError(call, errno)
	return true
}

func (e *Readiness) tryRead(d *Desc, op *Op) (done bool) {
	if len(op.Buf) == 0 {
		return true
	}
	n, errno := sys.Read(d.fd, op.Buf)
	if errno != 0 {
		return e.outcome(d, op, in, "read", errno)
	}
	switch {
	case n > len(op.Buf):
		op.Err = errImpossible
		return true
	case n == 0:
		op.Err = io.EOF // the only authority on the end
		return true
	}
	op.N = n
	if n < len(op.Buf) && !d.more {
		d.may[in] = false
	}
	return true
}

func (e *Readiness) tryWrite(d *Desc, op *Op) (done bool) {
	for op.N < len(op.Buf) {
		var n int
		var errno syscall.Errno
		if d.traits.Socket {
			n, errno = sys.Send(d.fd, op.Buf[op.N:])
		} else {
			n, errno = sys.Write(d.fd, op.Buf[op.N:])
		}
		if done, stop := e.wrote(d, op, n, len(op.Buf)-op.N, errno); stop {
			return done
		}
	}
	return true
}

func (e *Readiness) tryWriteV(d *Desc, op *Op) (done bool) {
	for {
		left := 0
		for _, b := range op.Bufs {
			left += len(b)
		}
		if left == 0 {
			return true
		}
		n, errno := sys.WriteV(d.fd, d.traits.Socket, op.Bufs, &e.vec)
		if done, stop := e.wrote(d, op, n, left, errno); stop {
			return done
		}
		op.consume(n)
	}
}

// wrote takes down n of asked bytes written; stop says that no more can be
// done now.
func (e *Readiness) wrote(d *Desc, op *Op, n, asked int, errno syscall.Errno) (done, stop bool) {
	switch {
	case errno != 0:
		return e.outcome(d, op, out, "write", errno), true
	case n > asked:
		op.Err = errImpossible
		return true, true
	case n == 0:
		op.Err = io.ErrUnexpectedEOF
		return true, true
	}
	op.N += n
	return false, false
}

// consume takes the first n bytes off Bufs.
func (op *Op) consume(n int) {
	for n > 0 {
		b := op.Bufs[0]
		if n < len(b) {
			op.Bufs[0] = b[n:]
			return
		}
		n -= len(b)
		op.Bufs[0] = nil
		op.Bufs = op.Bufs[1:]
	}
}

// tryAccept passes over connections that ended before they were accepted.
func (e *Readiness) tryAccept(d *Desc, op *Op) (done bool) {
	for range fairShare {
		fd, peer, errno := sys.Accept(d.fd)
		if errno == syscall.ECONNABORTED || errno == syscall.ECONNRESET {
			continue
		}
		op.Accepted, op.Addr = fd, peer
		return e.outcome(d, op, in, "accept", errno)
	}
	op.Err = os.NewSyscallError("accept", syscall.ECONNABORTED)
	return true
}

func (e *Readiness) tryConnect(d *Desc, op *Op) (done bool) {
	var errno syscall.Errno
	if op.connecting {
		errno = sys.Connected(d.fd)
	} else {
		errno = sys.Connect(d.fd, op.Addr, d.traits.Inet6)
		op.connecting = true
	}
	switch errno {
	case syscall.EINPROGRESS, syscall.EALREADY:
		d.may[out] = false
		return false
	case 0, syscall.EISCONN:
		return true
	}
	op.Err = os.NewSyscallError("connect", errno)
	return true
}

func (e *Readiness) tryCall(d *Desc, op *Op) (done bool) {
	n, err := op.Do(d.fd)
	op.N += n
	if err == syscall.EAGAIN {
		d.may[direction(op)] = false
		return false
	}
	op.Err = err
	return true
}
