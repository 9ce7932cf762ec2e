package reactor

import (
	"fmt"

	"github.com/trueasync/trueasync-go/internal/poll"
)

// TryWith starts a call of the caller's own in one direction of the handle, mode,
// which must be Readable or Writable: in order with the other operations of that
// direction try is called with the descriptor, on the loop, and again whenever the
// handle may be ready for as long as it gives EAGAIN. Its counts are added up, and
// its error is the request's. It must not block, call the reactor, or keep or close
// the descriptor. Files refuse it.
func (io *IO) TryWith(q *Request, mode Mode, try func(fd int) (n int, err error)) {
	if mode != Readable && mode != Writable {
		panic(fmt.Sprintf("reactor: a call that is %v at once", mode))
	}
	if q.prepare(io, poll.Call) {
		q.op.Mode, q.op.Do = mode.ops(), try
		q.submit()
	}
}
