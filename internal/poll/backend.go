// Package poll is the seam between the reactor and the operating system: the
// contract of a backend, and the backends.
//
// # The contract
//
// The seam is a request, not readiness. The owner fills in an [Op] and submits
// it to a [Backend]; the backend carries it out and completes it once. How is
// its own business: epoll and kqueue try the system call and wait for
// readiness when it would block (package files readiness.go, epoll_linux.go,
// kqueue.go); a completion backend such as io_uring would hand the request to
// the kernel and report its end. Nothing above the seam may depend on which.
//
// All of a backend but Wake belongs to the loop. What each function promises
// stands at its declaration in [Backend].
package poll

import (
	"errors"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// Kind says what an Op asks for.
type Kind uint8

// The kinds of request. Those of one direction on one descriptor are carried
// out in the order of their submission.
const (
	Read    Kind = iota + 1 // at least one byte into Buf; N == 0 without Err is the end
	Write                   // all of Buf
	WriteV                  // all of Bufs, whose slices are consumed
	Receive                 // one datagram into Buf, its sender into Addr
	Send                    // Buf as one datagram, to Addr where that is valid
	Accept                  // a connection: its descriptor into Accepted, its peer into Addr
	Connect                 // to Addr
	Ready                   // Mode, one direction of an own descriptor, since the caller's own call would have blocked
	Call                    // Do, a call of the caller's own in the direction Mode, until it gives no EAGAIN
	Poll                    // Mode of a descriptor that may be another's, level-triggered
)

// Mode is a set of directions.
type Mode uint8

// The directions.
const (
	In Mode = 1 << iota
	Out
)

// Owner is told of completions.
type Owner interface {
	// Completed is called on the loop, from within Deliver, Cancel or Detach,
	// once for each Op that Submit did not complete itself. It may call
	// anything of the backend.
	Completed(op *Op)
}

// Op is one request. It belongs to the backend, with its buffers, from Submit
// to its completion, and is the owner's to use again after that.
type Op struct {
	Kind  Kind
	Mode  Mode
	Buf   []byte
	Bufs  [][]byte
	Addr  sys.Addr
	Owner Owner
	// Do must not block, nor call anything of the backend. What it counts is added
	// to N, also where it gives EAGAIN.
	Do func(fd int) (n int, err error)

	// The outcome. N counts also what a failed or cancelled request has done.
	N        int
	Accepted int
	Err      error

	opState // the backend's own
}

// Traits are what a backend must know about a descriptor beyond its number.
type Traits struct {
	Socket bool // send and receive instead of write and read, so that no signal is raised
	// ShortIsDrained says that a read shorter than its buffer has emptied the
	// descriptor, as on TCP; pipes, terminals and unix sockets may keep more.
	ShortIsDrained bool
	Inet6          bool // addresses go out in their IPv6 form
}

// Backend carries out requests.
type Backend interface {
	// Attach makes an own, non-blocking descriptor known. It costs no system
	// call. If the number is attached already, its descriptor was closed
	// without the backend's knowledge, and what is under way on that is
	// completed as by Detach.
	Attach(fd int, traits Traits) *Desc
	// Share makes a descriptor known that someone else owns, for requests of
	// kind Poll. Each call is undone by one Release.
	Share(fd int) *Desc
	// Release undoes Share. No request of the caller's is under way on it.
	Release(d *Desc)
	// Detach forgets an own descriptor, which the caller is about to close, and
	// completes what is under way on it, polls included, with net.ErrClosed.
	// Nothing is ever carried out on the descriptor after it. False says that
	// it was forgotten before, and is not the caller's to close.
	Detach(d *Desc) (ours bool)

	// Submit begins op. True says that op has completed already; its owner is
	// then not told.
	Submit(d *Desc, op *Op) (done bool)
	// Cancel abandons op with err, unless it has completed. Its owner is told
	// once the backend has let go of the buffer, which may be at once.
	Cancel(op *Op, err error)

	// Busy reports whether any request is under way.
	Busy() bool
	// Wait collects what has happened, and blocks until something has, Wake is
	// called or timeout has passed; never for a shorter time, less than 0 is
	// for ever. It completes nothing.
	Wait(timeout time.Duration) error
	// Deliver completes what Wait has collected. A panic of an owner loses nothing.
	Deliver()
	// Wake makes Wait return. Safe from any goroutine, also after Close.
	Wake()
	// Close frees the backend's own descriptors. Nothing is under way.
	Close()
}

// ErrUnsupported is the failure of Open on a system without a backend.
var ErrUnsupported = errors.New("descriptors are not supported on this system")
