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
	// spare are ops for the calls to come, so that steady work allocates nothing; as
	// many as a reader and a writer need, and none for one that waits.
	spare   *op
	closed  atomic.Bool
	network string
	local   net.Addr
	remote  net.Addr
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

// take returns an op for one call.
func (h *handle) take() *op {
	q := h.spare
	if q == nil {
		return new(op)
	}
	h.spare, q.next = q.next, nil
	return q
}

// give takes back an op that nobody uses any more.
func (h *handle) give(q *op) {
	if done, _ := q.Done(); done && (h.spare == nil || h.spare.next == nil) {
		q.next, h.spare = h.spare, q
	}
}
