package event

// List holds the waiters of an event that fires any number of times. The zero value
// is empty.
type List struct {
	Waiters
	round uint64 // counts the firings
}

// AddWaiter implements [Source].
func (l *List) AddWaiter(w *Waiter) {
	l.Add(w)
	w.round = l.round
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
		if w.list != &l.Waiters || w.round != round {
			w = l.head // w went away, or came back: look for the next from the start
		}
	}
}

// Subscribe is AddWaiter for a function: the Subscribe of reactor.Event.
func (l *List) Subscribe(fn func(error)) (unsubscribe func()) {
	w := NewWaiter(fn)
	l.AddWaiter(w)
	return func() { l.RemoveWaiter(w) }
}
