package scheduler

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/ctxpool"
	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/reactor"
)

// Coroutine is a unit of concurrency. It is the context.Context that its body
// receives, and a reactor.Event that fires when it has ended, with its error.
//
// The methods of context.Context and Cancel are safe from any goroutine; the
// others belong to the loop, where they do not say otherwise.
type Coroutine struct {
	// The hot part, one cache line: what a switch touches. The whole is as large as
	// three, a size class of the allocator, which therefore begins it with a line.
	stack *ctxpool.Context // nil until it starts
	s     *Scheduler
	state State
	// hooked: it has switch handlers, or somebody asks where it is parked.
	hooked  bool
	high    bool // priority
	yielded bool // it is ready by a Yield; for permuted order alone
	linked  bool // it was spawned with a derived ctx, whose end is its own
	// listening: a cancellation of the coroutine ends the suspension it is in.
	listening bool
	outcome   outcome
	told      int32 // of those who wait: how many return, or have returned, how it ended
	resumable bool  // it is in Suspend, the function
	// interrupt: a cancellation that no suspension has returned yet, for the
	// waits that have no ctx.
	interrupt bool
	// endedWith, written before cancel is: its ctx had ended with the one that it was
	// spawned with when it was cancelled.
	endedWith bool
	gid       atomic.Uintptr                 // the goroutine it runs on, 0 before and after
	cancel    atomic.Pointer[CancelledError] // what its ctx ended with
	wakeErr   error                          // what the suspension it is in will return
	carrier   *carrier                       // nil until it starts

	x      *extras // what few coroutines have
	body   func(context.Context) error
	scope  *Scope
	future *future       // whose result the body makes, nil for Go
	runner *Runner       // that launched it, nil for all others
	err    error         // how it ended
	done   event.Waiters // for its end

	next, prev *Coroutine // in the scope's list

	id      uint64
	spawnPC uintptr
	spawned int64 // a stamp, see tickState

	base *baseContext               // below its ctx
	std  atomic.Pointer[stdContext] // made when package context asks
}

// extras is what few coroutines have.
type extras struct {
	name     string
	handlers []*SwitchHandler
	calling  bool // a handler is being called
	finally  []func(*Coroutine)
	protect  int             // depth of Protect
	pending  *CancelledError // came while protected
	onCancel event.Once      // fires when a cancellation is delivered
	unlink   func()          // ends the watch over the derived ctx it was spawned with
	failures int             // suspensions in a row that failed at once
	refused  *spawnFailure   // its scope took it not
	probe    *probe
	holder   *holder // for the watchdog
}

// outcome is how a coroutine ended.
type outcome uint8

const (
	notYet outcome = iota
	succeeded
	failed
	cancelled
)

// State is where a coroutine is in its life.
type State uint8

// The states. A coroutine that is queued and has not started is Created.
const (
	Created State = iota
	Ready
	Running
	Suspended
	Finished
)

// String is the state's name in lower case.
func (st State) String() string {
	switch st {
	case Created:
		return "created"
	case Ready:
		return "ready"
	case Running:
		return "running"
	case Suspended:
		return "suspended"
	case Finished:
		return "finished"
	}
	return fmt.Sprintf("State(%d)", uint8(st))
}

var (
	_ context.Context = (*Coroutine)(nil)
	_ reactor.Event   = (*Coroutine)(nil)
	_ event.Source    = (*Coroutine)(nil)
)

// extra returns the extras, made when first needed.
func (c *Coroutine) extra() *extras {
	if c.x == nil {
		c.x = &extras{}
	}
	return c.x
}

// ID is a number that no other coroutine of the scheduler has.
func (c *Coroutine) ID() uint64 { return c.id }

// Name is what [Named] gave it, else "".
func (c *Coroutine) Name() string {
	if c.x == nil {
		return ""
	}
	return c.x.name
}

// State is where it is in its life.
func (c *Coroutine) State() State { return c.state }

// Scope is the scope that owns it.
func (c *Coroutine) Scope() *Scope { return c.scope }

// Scheduler is the scheduler it belongs to. Safe from any goroutine.
func (c *Coroutine) Scheduler() *Scheduler { return c.s }

// SpawnedAt is the place of the spawn, as file:line.
func (c *Coroutine) SpawnedAt() string { return place(c.spawnPC) }

// Cancelled reports whether it has ended by cancellation.
func (c *Coroutine) Cancelled() bool { return c.outcome == cancelled }

// CancelRequested reports whether it has been cancelled, protected or not, and
// whatever came of it.
func (c *Coroutine) CancelRequested() bool {
	return c.cancel.Load() != nil || c.x != nil && c.x.pending != nil || c.linkEnded()
}

// Start implements [reactor.Event]; a coroutine needs no arming.
func (c *Coroutine) Start() error { return nil }

// Stop implements [reactor.Event]; it does nothing.
func (c *Coroutine) Stop() {}

// Subscribe has fn called when the coroutine has ended, with its error, at once
// where it has. Whoever subscribes counts as waiting for it. fn must not suspend;
// a panic in it is an unhandled failure. On the loop only.
func (c *Coroutine) Subscribe(fn func(err error)) (unsubscribe func()) {
	c.s.mustLoop("Coroutine.Subscribe")
	if c.state == Finished {
		_ = c.look()
	}
	w := event.NewWaiter(c.scope.callback(fn))
	c.addWaiter(w)
	return func() { c.done.RemoveWaiter(w) }
}

// AddWaiter is Subscribe without a closure, for this module's own packages.
func (c *Coroutine) AddWaiter(w *event.Waiter) {
	if n, ok := w.Target.(*waitNode); ok && n.k.co.s != c.s {
		n.k.notice(c, errOtherLoop)
		return
	}
	if c.state == Finished {
		_ = c.look()
	}
	c.addWaiter(w)
}

func (c *Coroutine) addWaiter(w *event.Waiter) {
	if c.state == Finished {
		w.Target.Fired(w, c.err)
		return
	}
	c.done.Add(w)
}

// RemoveWaiter undoes AddWaiter.
func (c *Coroutine) RemoveWaiter(w *event.Waiter) { c.done.RemoveWaiter(w) }

// String names the coroutine, for dumps.
func (c *Coroutine) String() string {
	if name := c.Name(); name != "" {
		return fmt.Sprintf("coroutine %d %q", c.id, name)
	}
	return fmt.Sprintf("coroutine %d", c.id)
}

// Finally has fn called on the loop when the coroutine has ended, also if it
// never started; at once where it has ended. fn must not suspend. A panic in it
// is an unhandled failure.
func (c *Coroutine) Finally(fn func(*Coroutine)) {
	if fn == nil {
		misuse("Finally(nil)")
	}
	if c.state == Finished {
		c.callFinally(fn)
		return
	}
	x := c.extra()
	x.finally = append(x.finally, fn)
}

func (c *Coroutine) callFinally(fn func(*Coroutine)) {
	if err := c.s.guard(func() { fn(c) }); err != nil {
		c.scope.report(c, err)
	}
}

// place is file:line of a program counter, "" for none.
func place(pc uintptr) string {
	if f := gid.Place(pc); f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return ""
}
