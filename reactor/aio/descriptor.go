package aio

import (
	"net"
)

// withDescriptor calls fn, which must not block, with the handle's descriptor, on
// the loop: a coroutine or a callback calls it itself, another goroutine waits for
// the loop to do it. A panic of fn is the caller's.
func (h *handle) withDescriptor(fn func(fd int) error) error {
	if h.closed.Load() {
		return net.ErrClosed
	}
	if h.s.OnLoop() {
		return h.callWith(fn)
	}
	var (
		err      error
		panicked any
		done     = make(chan struct{})
	)
	posted := h.s.PostOr(func() {
		defer close(done)
		defer func() { panicked = recover() }()
		err = h.callWith(fn)
	}, func() {
		err = net.ErrClosed
		close(done)
	})
	if posted != nil {
		return net.ErrClosed
	}
	<-done
	if panicked != nil {
		panic(panicked)
	}
	return err
}

func (h *handle) callWith(fn func(fd int) error) error {
	fd := h.io.Fd()
	if fd < 0 || h.closed.Load() {
		return net.ErrClosed
	}
	return fn(fd)
}

// rawConn is a handle as syscall.RawConn.
type rawConn struct{ h *handle }

// Control implements syscall.RawConn.
func (r *rawConn) Control(f func(fd uintptr)) error {
	return r.h.wrap("raw-control", r.h.withDescriptor(func(fd int) error {
		f(uintptr(fd))
		return nil
	}))
}

// Read implements syscall.RawConn.
func (r *rawConn) Read(f func(fd uintptr) (done bool)) error {
	return r.h.wrap("raw-read", r.until(f, &r.h.in))
}

// Write implements syscall.RawConn.
func (r *rawConn) Write(f func(fd uintptr) (done bool)) error {
	return r.h.wrap("raw-write", r.until(f, &r.h.out))
}

func (r *rawConn) until(f func(fd uintptr) (done bool), sd *side) error {
	c := r.h.s.Running()
	if c != nil {
		if err := sd.enter(c, false); err != nil {
			return err
		}
	}
	for {
		done := false
		err := r.h.withDescriptor(func(fd int) error {
			if err := sd.refuse(); err != nil {
				return err
			}
			done = f(uintptr(fd))
			return nil
		})
		if c != nil {
			c.Spend(1)
		}
		if err != nil || done {
			return err
		}
		if err := sd.do(&call{kind: ready}); err != nil {
			return err
		}
	}
}
