package scheduler

import (
	"slices"
	"time"
)

// Cancel closes the scope and cancels all that it owns: children first, then its
// coroutines in the order of their spawns. Zombies are not spared. The first
// cause stays. It waits for nothing, and panics off the loop, as Dispose and its
// like do.
func (sc *Scope) Cancel(cause error) {
	sc.s.mustLoop("Scope.Cancel")
	sc.cancelAll(cause)
}

func (sc *Scope) cancelAll(cause error) {
	sc.stop(cause, func(*Coroutine) bool { return true }, func(child *Scope) { child.cancelAll(cause) })
}

// Dispose closes the scope and cancels what it owns. One that allows zombies lets
// coroutines that have started end by themselves; those that have not never run.
// Child scopes are disposed first, each by its own rule.
func (sc *Scope) Dispose() {
	sc.s.mustLoop("Scope.Dispose")
	sc.dispose()
}

func (sc *Scope) dispose() {
	sc.lasting = false
	sc.stop(errDisposed, func(c *Coroutine) bool { return !sc.zombies || c.state == Created }, (*Scope).dispose)
}

// DisposeSafely closes the scope and lets the coroutines that have started end by
// themselves; those that have not never run. Child scopes are treated alike.
func (sc *Scope) DisposeSafely() {
	sc.s.mustLoop("Scope.DisposeSafely")
	sc.disposeSafely()
}

func (sc *Scope) disposeSafely() {
	sc.lasting = false
	sc.stop(errDisposed, func(c *Coroutine) bool { return c.state == Created }, (*Scope).disposeSafely)
}

// DisposeAfter disposes the scope after d, by the scheduler's clock, unless it
// has ended by then. It does not keep Run from ending.
func (sc *Scope) DisposeAfter(d time.Duration) {
	sc.s.mustLoop("Scope.DisposeAfter")
	if sc.ended {
		return
	}
	t := sc.s.reactor.NewTimer(d, 0).Unref()
	t.Subscribe(func(error) { sc.dispose() })
	sc.finally = append(sc.finally, func(*Scope) { t.Stop() })
	if err := t.Start(); err != nil {
		sc.s.unhandled(err)
	}
}

// stop closes the scope, deals with its children, and then cancels those of its
// coroutines that doomed says.
func (sc *Scope) stop(cause error, doomed func(*Coroutine) bool, below func(*Scope)) {
	if !sc.cancelled {
		sc.cancelled, sc.cause = true, cause
	}
	sc.closed = true
	sc.tellStop()
	for _, child := range slices.Clone(sc.children) {
		below(child)
	}
	for _, c := range sc.members() {
		if doomed(c) {
			c.cancelNow(cause)
		}
	}
	sc.endIfOver()
}

// members are the scope's coroutines in the order of their spawns.
func (sc *Scope) members() (all []*Coroutine) {
	for c := sc.first; c != nil; c = c.next {
		all = append(all, c)
	}
	return all
}

// everyone are the coroutines of the scope and all below it.
func (sc *Scope) everyone() (all []*Coroutine) {
	for _, child := range sc.children {
		all = append(all, child.everyone()...)
	}
	return append(all, sc.members()...)
}
