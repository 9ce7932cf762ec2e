package aio

import (
	"io"
	"net"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// handle is what everything here that has a descriptor consists of. Its methods
// are safe from any goroutine, io belongs to the loop.
type handle struct {
	s       *scheduler.Scheduler
	io      *reactor.IO
	in, out side
	closed  atomic.Bool
	network string
	local   net.Addr
	remote  net.Addr
	// configure gives an accepted connection its options, on a system where it does
	// not have its listener's; else nil.
	configure func(fd int)
}

func (h *handle) init(s *scheduler.Scheduler, io *reactor.IO, network string) {
	h.s, h.io, h.network = s, io, network
	h.in.h, h.in.mode = h, reactor.Readable
	h.out.h, h.out.mode = h, reactor.Writable
}

// close closes the handle, and never waits: on the loop at once, from another
// goroutine as soon as the loop comes to it. Either way nothing begins on the
// handle any more.
func (h *handle) close() error {
	if !h.closed.CompareAndSwap(false, true) {
		return net.ErrClosed
	}
	if h.s.OnLoop() {
		return h.closeNow()
	}
	if h.s.Post(func() { _ = h.closeNow() }) != nil {
		return net.ErrClosed // with the loop
	}
	return nil
}

func (h *handle) closeNow() error {
	h.in.disarm()
	h.out.disarm()
	_, err := h.io.Close().Done()
	return err
}

// wrap makes a net.OpError of err; io.EOF and nil stay.
func (h *handle) wrap(what string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: what, Net: h.network, Source: h.local, Addr: h.remote, Err: err}
}
