package event

// Once holds the waiters of an event that completes. The zero value has not
// completed.
//
// Invariant: settled implies that nobody is listed, but those who are being told.
type Once struct {
	Waiters
	settled bool
	err     error
}

// AddWaiter implements [Source].
func (o *Once) AddWaiter(w *Waiter) {
	if o.settled {
		w.Target.Fired(w, o.err)
		return
	}
	o.Add(w)
}

// Settle marks the event as completed and fires its waiters, each for the last
// time; see [Waiters.Release]. Whoever comes later is fired at once. A second call
// does nothing.
func (o *Once) Settle(err error) {
	if o.settled {
		return
	}
	o.settled, o.err = true, err
	o.Release(err)
}

// Subscribe is AddWaiter for a function: the Subscribe of reactor.Event.
func (o *Once) Subscribe(fn func(error)) (unsubscribe func()) {
	w := NewWaiter(fn)
	o.AddWaiter(w)
	return func() { o.RemoveWaiter(w) }
}
