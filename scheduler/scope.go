package scheduler

import (
	"context"
	"fmt"
	"slices"

	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/reactor"
)

// Scope owns coroutines and child scopes. Cancellation runs downwards, children
// first; a scope is finished when all it owns has ended. It belongs to the loop.
//
// A scope that takes no more, and is finished, ends: its Finally functions run,
// and failures of its futures that nobody has looked at are reported. It ends
// with its parent at the latest.
type Scope struct {
	s      *Scheduler
	parent *Scope
	name   string

	first, last *Coroutine // members, in the order of their spawns
	children    []*Scope
	busy        int // members and busy children

	// A scope that has ended is closed, not busy, and no child of its parent any more.
	zombies, closed, cancelled, ended bool
	lasting                           bool // see Lasting
	cause                             error

	onError      func(*Coroutine, error)
	onChildError func(*Scope, *Coroutine, error)
	onStop       func(cause error)
	watchers     []*func(error) // of AwaitAfterCancellation: the last is told, in place of the handlers
	finally      []func(*Scope)
	idle         event.List // fires when busy falls to 0
	kept         []keptFailure
	keptLimit    int // of len(kept): beyond it those that were looked at are dropped
}

// ScopeOption configures a Scope.
type ScopeOption func(*Scope)

// ScopeName gives the scope a name, for dumps.
func ScopeName(name string) ScopeOption {
	return func(sc *Scope) { sc.name = name }
}

// AllowZombies has [Scope.Dispose] let coroutines that have started end by
// themselves: they are the zombies.
func AllowZombies() ScopeOption {
	return func(sc *Scope) { sc.zombies = true }
}

// NewScope returns a child of the current scope. Where that is closed, so is the
// new one. It panics where ctx belongs to no coroutine, and off the loop.
func NewScope(ctx context.Context, opts ...ScopeOption) *Scope {
	c := current(ctx)
	if c == nil {
		misuse("NewScope with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	return c.scope.NewChild(opts...)
}

// NewChild returns a child of sc. Where sc is closed, so is the new one. It
// panics off the loop.
func (sc *Scope) NewChild(opts ...ScopeOption) *Scope {
	sc.s.mustLoop("NewChild")
	child := &Scope{s: sc.s, parent: sc, closed: sc.closed, cancelled: sc.cancelled, cause: sc.cause, ended: sc.ended}
	for _, opt := range opts {
		opt(child)
	}
	if !sc.ended {
		sc.children = append(sc.children, child)
	}
	return child
}

// Scheduler is the scheduler of the scope. Safe from any goroutine.
func (sc *Scope) Scheduler() *Scheduler { return sc.s }

// Name is what [ScopeName] gave it, else "".
func (sc *Scope) Name() string { return sc.name }

// Children are the child scopes that have not ended.
func (sc *Scope) Children() []*Scope { return slices.Clone(sc.children) }

// Finished reports whether all that it owns has ended.
func (sc *Scope) Finished() bool { return sc.busy == 0 }

// Closed reports whether it takes no more coroutines.
func (sc *Scope) Closed() bool { return sc.closed }

// Cancelled reports whether it was cancelled.
func (sc *Scope) Cancelled() bool { return sc.cancelled }

// Cause is what the scope was cancelled with, nil before.
func (sc *Scope) Cause() error { return sc.cause }

// OnError has fn called on the loop for each failure of a coroutine of the scope
// that nobody waits for, in place of shutting the scheduler down. A panic in fn
// goes to the next handler. fn must not suspend; nil takes the handler away.
func (sc *Scope) OnError(fn func(*Coroutine, error)) { sc.onError = fn }

// OnChildError has fn called for each failure below the scope that no handler
// nearer to it took. It gets the scope in which it happened.
func (sc *Scope) OnChildError(fn func(*Scope, *Coroutine, error)) { sc.onChildError = fn }

// Finally has fn called on the loop when the scope has ended, at once where it
// has. fn must not suspend. Panics in such functions are an unhandled failure:
// one composite.
func (sc *Scope) Finally(fn func(*Scope)) {
	if fn == nil {
		misuse("Finally(nil)")
	}
	sc.finally = append(sc.finally, fn)
	if sc.ended {
		sc.runFinally()
	}
}

// Close has the scope take no more coroutines. What runs runs on.
func (sc *Scope) Close() {
	sc.s.mustLoop("Scope.Close")
	sc.closed = true
	sc.endIfOver()
}

// AwaitCompletion waits until all that the scope owns has ended. It is an error
// to wait from inside. Errors of its coroutines are not its concern. It suspends,
// and is called by the coroutine of ctx, whose end ends the waiting alone.
func (sc *Scope) AwaitCompletion(ctx context.Context) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	if c.s != sc.s {
		return fmt.Errorf("scheduler: a scope of another scheduler cannot be awaited: %w", ErrForeignGoroutine)
	}
	if c.scope.within(sc) {
		return errOwnScope
	}
	if sc.busy == 0 {
		return nil
	}
	events := [1]reactor.Event{(*scopeIdle)(sc)}
	_, err = c.suspend(ctx, events[:])
	return err
}

// scopeIdle is the event that all a scope owns has ended.
type scopeIdle Scope

func (sc *scopeIdle) Start() error                           { return nil }
func (sc *scopeIdle) Stop()                                  {}
func (sc *scopeIdle) Subscribe(fn func(error)) (undo func()) { return sc.idle.Subscribe(fn) }
func (sc *scopeIdle) AddWaiter(w *event.Waiter)              { sc.idle.AddWaiter(w) }
func (sc *scopeIdle) RemoveWaiter(w *event.Waiter)           { sc.idle.RemoveWaiter(w) }
func (sc *scopeIdle) String() string                         { return (*Scope)(sc).String() }

// AwaitAfterCancellation is AwaitCompletion for a scope that was cancelled or
// disposed: it waits for those that clean up and for zombies. Failures that
// happen meanwhile go to on, where that is not nil. It is an error on a scope
// that is neither.
func (sc *Scope) AwaitAfterCancellation(ctx context.Context, on func(error)) error {
	if !sc.cancelled {
		return errNotStopped
	}
	if on != nil {
		sc.watchers = append(sc.watchers, &on)
		defer func() {
			sc.watchers = slices.DeleteFunc(sc.watchers, func(w *func(error)) bool { return w == &on })
		}()
	}
	return sc.AwaitCompletion(ctx)
}

// within reports whether sc is other, or below it.
func (sc *Scope) within(other *Scope) bool {
	for ; sc != nil; sc = sc.parent {
		if sc == other {
			return true
		}
	}
	return false
}

// String names the scope, for dumps.
func (sc *Scope) String() string {
	if sc.name == "" {
		return "scope"
	}
	return fmt.Sprintf("scope %q", sc.name)
}

// add makes c a member.
func (sc *Scope) add(c *Coroutine) {
	sc.link(c)
	sc.gain()
}

func (sc *Scope) link(c *Coroutine) {
	c.prev = sc.last
	if sc.last == nil {
		sc.first = c
	} else {
		sc.last.next = c
	}
	sc.last = c
}

// owns reports whether c is a member: one that was refused is not.
func (sc *Scope) owns(c *Coroutine) bool { return c.prev != nil || sc.first == c }

// requeue makes c, a member, the last one.
func (sc *Scope) requeue(c *Coroutine) {
	if sc.last == c {
		return
	}
	sc.unlink(c)
	sc.link(c)
}

// remove undoes add; c has ended.
func (sc *Scope) remove(c *Coroutine) {
	sc.unlink(c)
	sc.lose()
}

// unlink writes no pointer that is nil already: while the collector marks, each write
// costs.
func (sc *Scope) unlink(c *Coroutine) {
	prev, next := c.prev, c.next
	if prev == nil {
		sc.first = next
	} else {
		prev.next, c.prev = next, nil
	}
	if next == nil {
		sc.last = prev
	} else {
		next.prev, c.next = prev, nil
	}
}

// gain and lose count what keeps the scope busy, and tell its parent.
func (sc *Scope) gain() {
	for ; sc != nil; sc = sc.parent {
		if sc.busy++; sc.busy > 1 {
			return
		}
	}
}

func (sc *Scope) lose() {
	for ; sc != nil; sc = sc.parent {
		if sc.busy--; sc.busy > 0 {
			return
		}
		if sc.closed || !sc.idle.Empty() {
			sc.rest()
			return
		}
	}
}

// rest is what follows where somebody may want to know that the scope is not busy
// any more. What is called may call runtime.Goexit: those above are told all the
// same.
func (sc *Scope) rest() {
	defer sc.parent.lose()
	sc.idle.Fire(nil)
	sc.endIfOver()
}

// endIfOver ends the scope where it takes no more and is finished. The scope of
// main ends with the scheduler.
func (sc *Scope) endIfOver() {
	if sc.closed && sc.busy == 0 && sc.parent != nil && !sc.lasting {
		sc.finish()
	}
}

// finish ends the scope and what children it has left.
func (sc *Scope) finish() {
	if sc.ended {
		return
	}
	sc.closed = true
	for len(sc.children) > 0 {
		sc.children[len(sc.children)-1].finish()
	}
	sc.ended = true
	if p := sc.parent; p != nil {
		if i := slices.Index(p.children, sc); i >= 0 {
			p.children = slices.Delete(p.children, i, i+1)
		}
	}
	defer sc.reportKept()
	sc.runFinally()
}

func (sc *Scope) runFinally() {
	var failures []error
	sc.callFinally(&failures)
	if len(failures) > 0 {
		sc.report(nil, &CompositeError{failures})
	}
}

// callFinally calls them all, also where one calls runtime.Goexit.
func (sc *Scope) callFinally(failures *[]error) {
	if len(sc.finally) == 0 {
		return
	}
	fn := sc.finally[0]
	sc.finally = sc.finally[1:]
	defer sc.callFinally(failures)
	if err := sc.s.guard(func() { fn(sc) }); err != nil {
		*failures = append(*failures, err)
	}
}
