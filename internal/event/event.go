// Package event is the part of an event that the reactor and the scheduler
// share: the list of those who wait for it.
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

	list       *List
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

// List holds the waiters of one event in the order in which they came. The
// zero value is an empty list of an event that has not completed.
//
// Invariants: every listed waiter has list == this list; settled implies that
// the list is empty; round counts the firings.
type List struct {
	head, tail *Waiter
	round      uint64
	settled    bool
	err        error
}

// Empty reports whether nobody waits.
func (l *List) Empty() bool { return l.head == nil }

// Settled reports whether the event has completed, and how.
func (l *List) Settled() (bool, error) { return l.settled, l.err }

// AddWaiter implements [Source].
func (l *List) AddWaiter(w *Waiter) {
	if w.list != nil {
		panic("event: a waiter was added to a second list")
	}
	if l.settled {
		w.Target.Fired(w, l.err)
		return
	}
	w.list, w.prev, w.next = l, l.tail, nil
	w.round = l.round
	if l.tail == nil {
		l.head = w
	} else {
		l.tail.next = w
	}
	l.tail = w
}

// RemoveWaiter implements [Source].
func (l *List) RemoveWaiter(w *Waiter) {
	if w.list != l {
		return
	}
	if w.prev == nil {
		l.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.list, w.next, w.prev = nil, nil, nil
}

// Fire calls every waiter that was listed when it began, in order, once.
// Waiters may be added and removed meanwhile, the one being called included.
func (l *List) Fire(err error) {
	l.round++
	round := l.round
	w := l.head
	for {
		for w != nil && w.round >= round {
			w = w.next
		}
		if w == nil {
			return
		}
		w.round = round
		w.Target.Fired(w, err)
		if w.list != l || w.round != round {
			w = l.head // w went away, or came back: look for the next from the start
		}
	}
}

// Settle marks the event as completed and fires its waiters, each for the last
// time. Whoever comes later is fired at once. A second call does nothing.
//
// Should a waiter panic or call runtime.Goexit, the others are fired before that
// goes on.
func (l *List) Settle(err error) {
	if l.settled {
		return
	}
	l.settled, l.err = true, err
	if l.head != nil {
		l.fireLast()
	}
}

func (l *List) fireLast() {
	returned := false
	defer func() {
		if !returned {
			l.fireLast()
		}
	}()
	for l.head != nil {
		w := l.head
		l.RemoveWaiter(w)
		w.Target.Fired(w, l.err)
	}
	returned = true
}

// Count returns how many of the waiters match.
func (l *List) Count(match func(w *Waiter) bool) (n int) {
	for w := l.head; w != nil; w = w.next {
		if match(w) {
			n++
		}
	}
	return n
}

// Reset makes a completed event pending again.
func (l *List) Reset() {
	l.settled = false
	if l.err != nil { // most have none, and a store of nil costs a write barrier
		l.err = nil
	}
}

// Subscribe is AddWaiter for a function: the Subscribe of reactor.Event.
func (l *List) Subscribe(fn func(error)) (unsubscribe func()) {
	w := &Waiter{Target: funcTarget(fn)}
	l.AddWaiter(w)
	return func() { l.RemoveWaiter(w) }
}

type funcTarget func(error)

func (fn funcTarget) Fired(_ *Waiter, err error) { fn(err) }
