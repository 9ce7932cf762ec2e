package aio

import (
	"net"
	"net/netip"
	"sync"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// kind is what an operation does.
type kind uint8

const (
	read kind = iota
	write
	writeBuffers
	receive
	send
	sendToPath
	accept
	ready // the side's direction
	file
	try // do, which does not block, whenever the side's direction may be ready
)

// call is one operation on a handle: what is asked for, and what came of it.
type call struct {
	kind kind
	calm bool // a cancellation interrupts it not
	buf  []byte
	bufs [][]byte
	to   netip.AddrPort
	path string
	do   func(fd int) (int, error)

	n        int
	from     netip.AddrPort
	fromPath string
	accepted *Conn
}

// op is a call under way. A coroutine's belongs to the loop. That of another
// goroutine goes to the loop by way of start and comes back by way of back:
// whoever has it may touch it.
type op struct {
	reactor.Request
	call
	side       *side
	next, prev *op // in the side's list of those that wait
	late       bool
	listed     bool

	// For other goroutines; nil otherwise.
	back           chan struct{}
	start, dropped func()
	err            error
}

// begin starts the call on the loop.
func (q *op) begin() {
	h := q.side.h
	q.late = false
	switch q.kind {
	case read:
		h.io.ReadWith(&q.Request, q.buf)
	case write:
		h.io.WriteWith(&q.Request, q.buf)
	case writeBuffers:
		h.io.WriteBuffersWith(&q.Request, q.bufs)
	case receive:
		h.io.ReadFromWith(&q.Request, q.buf)
	case send:
		h.io.WriteToWith(&q.Request, q.buf, q.to)
	case sendToPath:
		h.io.WriteToPathWith(&q.Request, q.buf, q.path)
	case accept:
		h.io.AcceptWith(&q.Request)
	case ready:
		h.io.WaitWith(&q.Request, q.side.mode)
	case file:
		h.io.Do(&q.Request, q.do)
	case try:
		h.io.TryWith(&q.Request, q.side.mode, q.do)
	}
}

const (
	// pieceCost is how many bytes are about as dear as the call that moves them.
	pieceCost = 8 << 10
	// openCost is the cost of what is opened, or accepted, and set up.
	openCost = 4
)

// cost is what the call, which has completed at once, takes of its coroutine's turn;
// see [scheduler.Coroutine.Spend].
func (q *op) cost() int {
	if q.kind == accept {
		return openCost
	}
	return 1 + q.N()/pieceCost
}

// collect notes what came of the call, on the loop.
func (q *op) collect() {
	q.n = q.N()
	switch q.kind {
	case receive:
		q.from, q.fromPath = q.From(), q.FromPath()
	case accept:
		if io := q.Conn(); io != nil {
			q.accepted = q.side.h.accepted(io, q.From(), q.FromPath())
		}
	}
}

// foreign are the ops of goroutines that are not on the loop.
var foreign = sync.Pool{New: func() any {
	q := &op{back: make(chan struct{}, 1)}
	q.start, q.dropped = q.run, q.drop
	q.Subscribe(q.completed)
	return q
}}

// block carries out a call for a goroutine that is not on the loop.
func (sd *side) block(a *call) error {
	s := sd.h.s
	if s.OnLoop() { // a callback, which must not wait
		if err := sd.refuse(); err != nil {
			return err
		}
		return scheduler.ErrNotCoroutine
	}
	q := foreign.Get().(*op)
	q.side, q.call = sd, *a
	if err := s.PostOr(q.start, q.dropped); err != nil {
		q.err = net.ErrClosed
	} else {
		<-q.back
	}
	*a = q.call
	err := q.err
	q.side, q.call, q.err = nil, call{}, nil
	foreign.Put(q)
	return err
}

// run is block's part on the loop.
func (q *op) run() {
	if err := q.side.refuse(); err != nil {
		q.finish(err)
		return
	}
	if g := q.side.gate; g != nil && q.kind != ready {
		g.Subscribe(func(error) { q.run() })
		return
	}
	q.begin()
	if done, _ := q.Done(); !done {
		q.side.list(q)
	}
}

// completed is told, on the loop, of the end of the request.
func (q *op) completed(err error) {
	if q.listed {
		q.side.unlist(q)
	}
	q.collect()
	q.finish(q.side.verdict(q, err))
}

// drop is run where the loop has ended.
func (q *op) drop() { q.finish(net.ErrClosed) }

func (q *op) finish(err error) {
	q.err = err
	q.back <- struct{}{}
}
