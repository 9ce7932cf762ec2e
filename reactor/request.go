package reactor

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/trueasync/trueasync-go/internal/poll"
)

// Request is one operation under way on an IO handle. It completes exactly
// once; as an event it is armed by the call that makes it, so its Start and
// Stop do nothing. A request that has completed before that call returned, since
// the system did not have to be waited for, calls its subscribers at once.
//
// The zero Request is one of the caller's own, to be handed to the methods of
// IO whose names end in With, again and again; subscribers stay from one use to
// the next. It must not be copied, nor handed over while it is under way.
type Request struct {
	waiters
	io    *IO
	op    poll.Op
	file  *fileJob // what carries it out on a regular file
	conn  *IO      // accepted, and not taken yet
	under bool
}

// errCancelled is the outcome of a request that was cancelled.
var errCancelled = fmt.Errorf("reactor: request cancelled: %w", context.Canceled)

// Start does nothing: a request is under way from the call that made it.
func (q *Request) Start() error { return nil }

// Stop does nothing; see Cancel.
func (q *Request) Stop() {}

// Done reports whether the request has completed, and its error.
func (q *Request) Done() (done bool, err error) { return q.done, q.err }

// N is the number of bytes transferred so far; for a write that failed or was
// cancelled midway, how much the peer's side of the kernel has taken. Of a
// regular file it is known once the request has completed.
func (q *Request) N() int { return q.op.N }

// From is the sender of the datagram that a ReadFrom has received, or the peer
// that an Accept has accepted; the zero value where it is of no internet family.
func (q *Request) From() netip.AddrPort { return q.op.Addr.Net }

// FromPath is From for unix sockets: the path the other side is bound to, with
// a leading @ for the abstract name space; empty if it is not bound.
func (q *Request) FromPath() string { return q.op.Addr.Path }

// Conn is the connection that an Accept has accepted, nil before and from the
// second call on: whoever takes it owns it. A connection that nobody has taken
// when the request is used again, or when its reactor closes, is closed.
func (q *Request) Conn() *IO {
	c := q.conn
	q.conn = nil
	return c
}

// Cancel abandons the request; it then completes with an error that matches
// [context.Canceled], and N tells what was done by then. Its buffer is the
// caller's again when the request's event fires, not before. That is at once,
// but for a regular file, where an operation that the system has begun comes to
// its end. Cancelling a request that is not under way does nothing.
func (q *Request) Cancel() {
	switch {
	case !q.under:
	case q.file != nil:
		q.file.cancel()
	default:
		q.io.r.backend.Cancel(&q.op, errCancelled)
	}
}

// String names the request: "tcp read 127.0.0.1:80".
func (q *Request) String() string {
	if q.io == nil {
		return "request"
	}
	what := verbs[q.op.Kind]
	if q.file != nil && q.file.closes {
		what = "close"
	}
	return fmt.Sprintf("%v %s %s", q.io.typ, what, q.io.label())
}

// verbs names the kinds; one of none is a call of the caller's own on a file, see
// IO.Do.
var verbs = [...]string{
	0:            "call",
	poll.Read:    "read",
	poll.Write:   "write",
	poll.WriteV:  "write",
	poll.Receive: "receive",
	poll.Send:    "send",
	poll.Accept:  "accept",
	poll.Connect: "connect",
	poll.Ready:   "ready",
	poll.Call:    "call",
}

// prepare makes q the request of an operation on io. It reports whether the
// operation may begin; where not, q has completed.
func (q *Request) prepare(io *IO, kind poll.Kind) bool {
	if q.under {
		panic("reactor: a request was used again while it was under way")
	}
	if q.conn != nil {
		q.conn.close()
		q.conn = nil
	}
	q.pend()
	q.io, q.file = io, nil
	q.op.Kind, q.op.Owner, q.op.N = kind, (*requestOwner)(q), 0
	if io.closed {
		q.finish(net.ErrClosed)
		return false
	}
	return true
}

// submit begins what has been prepared.
func (q *Request) submit() {
	r := q.io.r
	if q.io.desc == nil {
		q.finish(q.io.wrongType(q))
		return
	}
	if r.backend.Submit(q.io.desc, &q.op) {
		q.finish(q.op.Err)
		return
	}
	q.depart()
}

// depart marks q as under way.
func (q *Request) depart() {
	q.under = true
	q.io.r.alive++
}

// arrive undoes depart and completes q.
func (q *Request) arrive(err error) {
	r := q.io.r
	q.under = false
	r.alive--
	r.fired++
	q.finish(err)
}

// finish completes q.
func (q *Request) finish(err error) {
	q.op.Buf, q.op.Bufs, q.op.Do = nil, nil, nil
	if q.op.Kind == poll.Accept && err == nil {
		q.conn = q.io.accepted(q.op.Accepted)
	}
	q.complete(err)
}

// requestOwner is a Request as the backend sees it.
type requestOwner Request

// Completed implements [poll.Owner].
func (o *requestOwner) Completed(op *poll.Op) { (*Request)(o).arrive(op.Err) }
