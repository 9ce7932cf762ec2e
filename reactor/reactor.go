package reactor

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/timers"
)

// Reactor is one event loop's view of the operating system. All methods but
// Wake and Waiting belong to the loop: the goroutine that calls Execute. The loop
// may pass from one goroutine to another, as long as each hand-over happens before
// the next call.
type Reactor struct {
	state atomic.Int32 // see wake.go
	kick  chan struct{}

	timers  timers.Queue[Timer]
	backend poll.Backend // nil until a descriptor is needed, then never again
	off     offLoop

	alive      int    // armed events that hold the loop
	realEvents int    // armed events of real time that no descriptor stands for
	fired      uint64 // events fired so far
	closed     bool

	base    time.Time // the zero of the timers' time
	clock   Clock     // nil is the system's monotonic clock
	virtual advancer
	outside func() bool
	sleeper *time.Timer

	armed    registry // polls, processes and look-ups that are armed
	handles  registry // IO handles that are open
	signals  map[os.Signal]*signalHub
	files    pool
	lookups  pool
	resolver *net.Resolver
	open     func() (poll.Backend, error)

	watchChild func(p *Process) (ended bool, err error) // begins to wait for the end of p
}

// Option configures a Reactor.
type Option func(*Reactor)

// New returns a reactor. It opens no descriptor and starts no goroutine before
// the first event needs one, so a reactor costs next to nothing; one that is
// given an option it cannot serve fails.
func New(opts ...Option) (*Reactor, error) {
	r := &Reactor{open: poll.Open, watchChild: (*Process).watch}
	r.files.limit, r.lookups.limit = fileWorkers, lookupWorkers
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("reactor: nil option")
		}
		opt(r)
	}
	r.base = r.Now()
	return r, nil
}

// Alive reports whether any started event would keep a loop running.
func (r *Reactor) Alive() bool { return r.alive > 0 }

// Close stops every event, with an error that matches [net.ErrClosed] for
// whoever waits, and frees the descriptors. It waits for nothing: look-ups
// under way are told to stop, and a file operation that the system has begun
// ends by itself, its buffer in use until then. A second Close gives net.ErrClosed.
func (r *Reactor) Close() error {
	if r.closed {
		return net.ErrClosed
	}
	r.closed = true
	if r.backend != nil {
		defer r.backend.Close()
	}
	r.off.close()
	r.files.close()
	r.lookups.close()
	r.abandon()
	return nil
}

// abandon ends everything. Should a waiter panic, the rest is still ended, and
// the system's means freed, before the panic goes on.
func (r *Reactor) abandon() {
	finished := false
	defer func() {
		if !finished {
			r.abandon()
		}
	}()
	r.timers.Expire(farFuture)
	for t := r.timers.Due(); t != nil; t = r.timers.Due() {
		t.abandon()
	}
	for _, hub := range r.signals {
		for hub.events.head != nil {
			hub.events.head.owner.abandon()
		}
	}
	for r.armed.head != nil {
		r.armed.head.owner.abandon()
	}
	for r.handles.head != nil {
		r.handles.head.owner.abandon()
	}
	finished = true
}
