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

// call is one operation on a handle: what is asked for, and what came of it. It is on
// the stack of whoever waits, where room is dear: see the carry of package scheduler.
type call struct {
	kind kind
	calm bool // a cancellation interrupts it not
	n    int
	buf  []byte
	do   func(fd int) (int, error)
}

// more is what few kinds of calls have beside that. It comes apart from the call, for
// what a call points to is not on a stack.
type more struct {
	bufs     [][]byte
	peer     netip.AddrPort // to whom, or from whom
	path     string         // the same of a unix socket
	setUp    func(fd int)   // what accept does to a connection; may be nil
	accepted *Conn
}

// op is a call under way, as the loop has it. What it does not need to know stays
// with the caller: there is one for each connection that waits.
type op struct {
	reactor.Request
	next, prev *op // among those that wait on a side, or next of the spare ones
	waiter     *foreignCall
	kind       kind
	calm       bool
	late       bool
	subscribed bool // tell is told of the ends
}

// begin starts the call on the loop.
func (q *op) begin(sd *side, a *call, m *more) {
	io := sd.h.io
	q.kind, q.calm, q.late = a.kind, a.calm, false
	switch a.kind {
	case read:
		io.ReadWith(&q.Request, a.buf)
	case write:
		io.WriteWith(&q.Request, a.buf)
	case writeBuffers:
		io.WriteBuffersWith(&q.Request, m.bufs)
	case receive:
		io.ReadFromWith(&q.Request, a.buf)
	case send:
		io.WriteToWith(&q.Request, a.buf, m.peer)
	case sendToPath:
		io.WriteToPathWith(&q.Request, a.buf, m.path)
	case accept:
		io.AcceptWith(&q.Request)
	case ready:
		io.WaitWith(&q.Request, sd.mode)
	case file:
		io.Do(&q.Request, a.do)
	case try:
		io.TryWith(&q.Request, sd.mode, a.do)
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
func (q *op) collect(sd *side, a *call, m *more) {
	a.n = q.N()
	switch a.kind {
	case receive:
		m.peer, m.path = q.From(), q.FromPath()
	case accept:
		if io := q.Conn(); io != nil {
			m.accepted = sd.h.accepted(io, q.From(), q.FromPath())
			if m.setUp != nil {
				m.setUp(io.Fd())
			}
		}
	}
}

// foreignCall is a call of a goroutine that is not on the loop. It goes to the loop by
// way of start and comes back by way of back: whoever has it may touch it. The op stays
// with the loop, which is not done with it when it tells of its end.
type foreignCall struct {
	side           *side
	call           call
	more           more
	back           chan struct{}
	start, dropped func()
	err            error
}

// foreign are the calls of goroutines that are not on the loop.
var foreign = sync.Pool{New: func() any {
	f := &foreignCall{back: make(chan struct{}, 1)}
	f.start, f.dropped = f.run, f.drop
	return f
}}

// block carries out a call for a goroutine that is not on the loop.
func (sd *side) block(a *call, m *more) error {
	s := sd.h.s
	if s.OnLoop() { // a callback, which must not wait
		if err := sd.refuse(); err != nil {
			return err
		}
		return scheduler.ErrNotCoroutine
	}
	f := foreign.Get().(*foreignCall)
	f.side, f.call = sd, *a
	if m != nil {
		f.more = *m
	}
	if err := s.PostOr(f.start, f.dropped); err != nil {
		f.err = net.ErrClosed
	} else {
		<-f.back
	}
	a.n = f.call.n
	if m != nil {
		*m = f.more
	}
	err := f.err
	f.side, f.call, f.more, f.err = nil, call{}, more{}, nil
	foreign.Put(f)
	return err
}

// run is block's part on the loop.
func (f *foreignCall) run() {
	sd := f.side
	if err := sd.refuse(); err != nil {
		f.finish(err)
		return
	}
	if g := sd.gate; g != nil && f.call.kind != ready {
		g.Subscribe(func(error) { f.run() })
		return
	}
	q := sd.h.take()
	q.begin(sd, &f.call, &f.more)
	if done, err := q.Done(); done {
		f.conclude(q, err)
		return
	}
	q.waiter = f
	if !q.subscribed {
		q.subscribed = true
		q.Subscribe(q.tell)
	}
	sd.list(q)
}

// tell tells the goroutine that waits, where it is one, of the end of the request.
func (q *op) tell(err error) {
	f := q.waiter
	if f == nil {
		return
	}
	q.waiter = nil
	f.side.unlist(q)
	f.conclude(q, err)
}

// conclude gives f back with what came of the request.
func (f *foreignCall) conclude(q *op, err error) {
	sd := f.side
	q.collect(sd, &f.call, &f.more)
	err = sd.verdict(q, err)
	sd.h.give(q)
	f.finish(err)
}

// drop is run where the loop has ended.
func (f *foreignCall) drop() { f.finish(net.ErrClosed) }

func (f *foreignCall) finish(err error) {
	f.err = err
	f.back <- struct{}{}
}
