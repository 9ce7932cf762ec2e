package scheduler

import (
	"fmt"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/internal/event"
)

// Future is a result that is there later, and a reactor.Event that fires when it
// is. Await may be called from any goroutine: a coroutine is suspended, any other
// goroutine blocks.
type Future[T any] struct {
	future
	v T
}

// future is what a Future is beside its value.
//
// Its home is the loop of s. Settling may come from any goroutine: whoever moves
// phase from pending to settling owns err and the value, and publishes them with
// the move to settled. Coroutines of the home loop wait in list, which belongs to
// that loop, all others in others.
type future struct {
	s     *Scheduler // nil where the future was settled from the start
	scope *Scope     // where an error that nobody looks at goes
	c     *Coroutine // whose body makes the result, nil for others; the loop's

	phase     atomic.Uint32
	seen      atomic.Bool  // somebody has looked at the error, or nobody wants to
	delivered atomic.Bool  // somebody was given the error
	told      atomic.Int32 // how many are about to look at it; see told.go
	external  bool         // another goroutine settles it
	spawned   bool         // a coroutine makes it; c is that, once it is there
	err       error
	list      event.Once
	others    otherWaiters

	alsoCancel func(cause error) // what else Cancel does, any goroutine; may be nil

	createdPC uintptr
	settledPC atomic.Uintptr
}

const (
	pending uint32 = iota
	settling
	settled
)

func (f *future) init(s *Scheduler, scope *Scope, pc uintptr) {
	f.s, f.scope, f.createdPC = s, scope, pc
}

// claim makes the caller the one who settles f.
func (f *future) claim(pc uintptr) error {
	if !f.phase.CompareAndSwap(pending, settling) {
		return fmt.Errorf("%w%s", ErrCompleted, at(f.CompletedAt()))
	}
	f.settledPC.Store(pc)
	return nil
}

func at(where string) string {
	if where == "" {
		return ""
	}
	return " at " + where
}

// publish settles f, after claim.
func (f *future) publish(err error) {
	f.err = err
	f.phase.Store(settled)
	told := f.others.notify()
	if f.s.OnLoop() {
		f.fire(told)
		return
	}
	fire := func() { f.fire(told) }
	if f.s.enqueueItem(inboxItem{run: fire, refused: fire}) != nil {
		f.list.Settle(f.err) // of those who waited only derived futures are left
	}
}

// settle settles the future of a coroutine that has ended, on the loop, unless
// it is settled.
func (f *future) settle(err error) {
	if !f.phase.CompareAndSwap(pending, settling) {
		return
	}
	f.err = err
	f.phase.Store(settled)
	f.fire(f.others.notify())
}

// watched reports whether settling tells anybody.
func (f *future) watched() bool { return !f.list.Empty() || f.others.some.Load() }

// fire tells the waiters of the home loop, after told others, and keeps an error
// that nobody is told of for the scope's end.
func (f *future) fire(told int) {
	f.told.Store(int32(told + f.list.Count(hears)))
	f.list.Settle(f.err)
	f.keepUnseen()
}

func (f *future) lookedAt() bool                       { return f.seen.Load() || f.told.Load() > 0 }
func (f *future) failure() (*Scope, *Coroutine, error) { return f.scope, f.c, f.err }

// Done reports whether the future is settled. Safe from any goroutine.
func (f *future) Done() bool { return f.phase.Load() == settled }

// CreatedAt is where the future was made, as file:line.
func (f *future) CreatedAt() string { return place(f.createdPC) }

// CompletedAt is where it was settled, "" where that is not known: before, and
// for the result of a coroutine.
func (f *future) CompletedAt() string { return place(f.settledPC.Load()) }

// Start implements reactor.Event; a future needs no arming.
func (f *future) Start() error { return nil }

// Stop implements reactor.Event; it does nothing.
func (f *future) Stop() {}

// Subscribe has fn called, on the loop, when the future is settled, with its
// error; at once where it is. Whoever is told has looked at the error. fn must not
// suspend; a panic in it is an unhandled failure. On the loop only.
func (f *future) Subscribe(fn func(err error)) (unsubscribe func()) {
	if f.s == nil {
		fn(f.err)
		return func() {}
	}
	f.s.mustLoop("Future.Subscribe")
	fn = f.scope.callback(fn)
	if f.phase.Load() == settled {
		f.look()
		fn(f.err)
		return func() {}
	}
	return f.list.Subscribe(fn)
}

// AddWaiter is Subscribe without a closure, for this module's own packages.
func (f *future) AddWaiter(w *event.Waiter) {
	if f.phase.Load() == settled {
		f.look()
		w.Target.Fired(w, f.err)
		return
	}
	if n, ok := w.Target.(*waitNode); ok {
		if n.k.co.s != f.s {
			f.addFromElsewhere(n)
			return
		}
		if f.external {
			n.hold()
		}
	}
	f.list.AddWaiter(w)
}

// RemoveWaiter undoes AddWaiter.
func (f *future) RemoveWaiter(w *event.Waiter) { f.list.RemoveWaiter(w) }

// addFromElsewhere lists a coroutine of another loop.
func (f *future) addFromElsewhere(n *waitNode) {
	n.hold()
	s, ev, k, waits := n.k.co.s, n.ev, n.k, true
	w := &otherWaiter{notify: func() {
		_ = s.enqueue(func() {
			if waits && k.heeds() {
				k.notice(ev, f.err)
			} else {
				f.untell()
			}
		})
	}}
	if !f.addOther(w) {
		n.k.notice(n.ev, f.err)
		return
	}
	n.unsub = func() {
		waits = false
		f.others.remove(w)
	}
}

// String names the future, for dumps.
func (f *future) String() string {
	if f.s != nil && f.s.OnLoop() && f.c != nil {
		return "result of " + f.c.String()
	}
	return "future made" + at(f.CreatedAt())
}
