// Package event is the part of an event that the reactor and the scheduler
// share: the list of those who wait for it. A [List] fires again and again, a
// [Once] completes; both are made of [Waiters].
//
// A [Waiter] is a node that lives inside whoever waits, so that waiting for an
// event of this module allocates nothing. Everything here belongs to the loop.
package event

// Target is whoever a Waiter speaks for.
type Target interface {
	// Fired is called on the loop, once for each time the event fires. The
	// waiter is still in the event's list; Fired may remove it.
	Fired(w *Waiter, err error)
}

// Waiter is one party's place in the list of one event. It is in at most one
// list at a time, and must not be copied while it is in one.
type Waiter struct {
	Target Target

	list       *Waiters
	next, prev *Waiter
	round      uint64 // the last firing of the list that w must not see again
}

// Listed reports whether w is in a list.
func (w *Waiter) Listed() bool { return w.list != nil }

// Source is what this module's own events offer beside reactor.Event, so that
// Suspend can wait for them without a closure.
type Source interface {
	// AddWaiter has w fired each time the event fires. An event that has
	// already completed fires w before AddWaiter returns, and lists it not.
	AddWaiter(w *Waiter)
	// RemoveWaiter undoes AddWaiter; a waiter that is not listed is left alone.
	RemoveWaiter(w *Waiter)
}
