package aio

import (
	"errors"
	"io"
	"math"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// spliceLeast is the least that a splice should move to be worth it: after one that
// has moved less the next bytes are read and written, until they come thick again.
const spliceLeast = copySize

// errNoPipe says that there is no pipe to be had now.
var errNoPipe = errors.New("no pipe")

// relay copies between two handles that the system can move bytes between by itself.
//
// It begins by reading and writing, and has the system move what comes once a read
// has filled its buffer. So a conversation of small messages, which gain nothing,
// costs no more than it did, and what waits for its source has no pipe: only while
// there are bytes in it, which its destination does not take yet, a pipe is in use.
type relay struct {
	src, dst *handle
	r        io.Reader
	w        io.Writer
	readFail func(what string, err error) error
	wrotFail func(what string, err error) error

	left    *int64 // how much may be taken from the source
	moved   int64  // how much the destination has been given
	pipe    *splicePipe
	holds   int // bytes in the pipe
	fill    func(fd int) (int, error)
	drain   func(fd int) (int, error)
	refused bool // the system does not move bytes between these two
}

// splice copies what r has to w, where the system can move it between the two.
// Handled is false where nothing was done.
func splice(w io.Writer, r io.Reader) (moved int64, handled bool, err error) {
	if !sys.CanSplice {
		return 0, false, nil
	}
	unlimited := int64(math.MaxInt64)
	rl := relay{left: &unlimited}
	if limited, ok := r.(*io.LimitedReader); ok {
		r, rl.left = limited.R, &limited.N
	}
	rl.r, rl.w = r, w
	rl.src, rl.readFail = spliceEnd(r)
	rl.dst, rl.wrotFail = spliceEnd(w)
	if rl.src == nil || rl.dst == nil {
		return 0, false, nil
	}
	rl.fill, rl.drain = rl.fillPipe, rl.drainPipe
	pipes.enter()
	defer pipes.leave()
	defer rl.end()
	err = rl.run()
	return rl.moved, true, err
}

// spliceEnd is the handle of what is a stream of bytes, with what makes its errors;
// nil for anything else.
func spliceEnd(x any) (h *handle, fail func(what string, err error) error) {
	h, fail = handleOf(x)
	if h == nil || h.io.Type() != reactor.TCP && h.io.Type() != reactor.Pipe {
		return nil, nil
	}
	return h, fail
}

// end drops what a failed destination has not taken.
func (rl *relay) end() {
	if rl.pipe != nil {
		pipes.drop(rl.pipe)
		rl.pipe = nil
	}
}

func (rl *relay) run() error {
	buf := copyBuffers.Get().(*[copySize]byte)
	defer copyBuffers.Put(buf)
	for *rl.left > 0 {
		n, err := rl.r.Read(buf[:min(copySize, *rl.left)])
		*rl.left -= int64(n)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := rl.write(buf[:n]); err != nil {
			return err
		}
		for much := n == copySize; much && !rl.refused && *rl.left > 0; {
			n, err := rl.move(buf)
			if err != nil {
				return err
			}
			much = n >= spliceLeast
		}
	}
	return nil
}

func (rl *relay) write(b []byte) error {
	n, err := rl.w.Write(b)
	rl.moved += int64(n)
	return err
}

// move has the system move what there is, once there is something, and tells how much
// it was; 0 says that it is to be read instead.
func (rl *relay) move(buf *[copySize]byte) (n int, err error) {
	a := call{kind: try, do: rl.fill}
	err = rl.src.in.do(&a)
	switch {
	case unsupported(err):
		rl.refused = true
		return 0, nil
	case err == errNoPipe, err == nil && a.n == 0:
		return 0, nil // of the end, too, a read is to tell
	case err != nil:
		return 0, rl.readFail("read", callError("splice", err))
	}
	n = a.n
	*rl.left -= int64(n)
	a = call{kind: try, do: rl.drain}
	err = rl.dst.out.do(&a)
	rl.moved += int64(a.n)
	switch {
	case unsupported(err):
		rl.refused = true
		if err := rl.empty(buf); err != nil {
			return 0, err
		}
	case err != nil:
		return 0, rl.wrotFail("write", callError("splice", err))
	}
	pipes.give(rl.pipe)
	rl.pipe = nil
	return n, nil
}

// fillPipe moves bytes from the source into an empty pipe, on the source's loop. It
// keeps no pipe that nothing has come into.
func (rl *relay) fillPipe(fd int) (int, error) {
	p := pipes.take()
	if p == nil {
		return 0, errNoPipe
	}
	n, errno := sys.SpliceIn(fd, p.w, int(min(int64(p.size), *rl.left)))
	if n == 0 {
		pipes.give(p)
		return 0, asError(errno)
	}
	rl.pipe, rl.holds = p, n
	return n, nil
}

// drainPipe moves bytes from the pipe to the destination, on the destination's loop.
func (rl *relay) drainPipe(fd int) (n int, err error) {
	for rl.holds > 0 {
		m, errno := sys.SpliceOut(rl.pipe.r, fd, rl.holds)
		if errno != 0 {
			return n, errno
		}
		if m == 0 {
			return n, io.ErrUnexpectedEOF
		}
		rl.holds -= m
		n += m
	}
	return n, nil
}

// empty writes what a destination that takes no splice has left in the pipe.
func (rl *relay) empty(buf *[copySize]byte) error {
	for rl.holds > 0 {
		n, errno := sys.Read(rl.pipe.r, buf[:])
		if errno != 0 {
			return rl.readFail("read", callError("splice", errno))
		}
		rl.holds -= n
		if err := rl.write(buf[:n]); err != nil {
			return err
		}
	}
	return nil
}

// unsupported reports whether err says that the system does not splice here.
func unsupported(err error) bool {
	switch err {
	case syscall.EINVAL, syscall.ENOSYS, syscall.EPERM, syscall.EOPNOTSUPP:
		return true
	}
	return false
}
