package scheduler

import "github.com/trueasync/trueasync-go/internal/event"

// A failure is reported exactly once: to whoever waits for it, or, where nobody
// does, as an unhandled one. In the list of an event there may be some who do not
// wait any more: they have been woken by something else, or cancelled, and have
// not run since. So those who will return the failure are counted, in told, and
// one who turns out not to, because it was cancelled after all, counts it down.
// Told and what hangs on it belong to the event's loop.

// hearer is a target that may not heed what it is told.
type hearer interface {
	event.Target
	// hears reports whether whoever it stands for will return how the event ended.
	hears() bool
}

// hears reports whether w's target is one who waits.
func hears(w *event.Waiter) bool {
	h, ok := w.Target.(hearer)
	return !ok || h.hears()
}

// hears implements hearer.
func (n *waitNode) hears() bool { return n.k.looks || n.k.heeds() }

// passOver lets go the event that has fired in a suspension that was then ended by
// something else.
func (k *carrier) passOver() {
	ev := k.fired
	k.fired, k.firing = nil, nil
	if e, ok := ev.(interface{ untell() }); ok {
		e.untell()
	}
}

// untell takes back that somebody returns how c ended.
func (c *Coroutine) untell() {
	if c.told--; c.told == 0 && c.outcome == failed && c.future == nil && c != c.s.main {
		c.scope.report(c, c.err)
	}
}

// untell takes back that somebody returns how f was settled. Safe from any
// goroutine.
func (f *future) untell() {
	switch {
	case f.s == nil:
	case f.s.OnLoop():
		f.untold()
	default:
		_ = f.s.enqueue(f.untold) // a loop that has ended has reported what it had
	}
}

func (f *future) untold() {
	f.told.Add(-1)
	f.keepUnseen()
}

// keepUnseen keeps an error that nobody has looked at, or is about to, for the
// end of the scope. A cancellation is silent, unless a coroutine that was not
// cancelled returned it.
func (f *future) keepUnseen() {
	if f.err == nil || f.lookedAt() || isCancellation(f.err) && (f.c == nil || f.c.outcome != failed) {
		return
	}
	f.scope.keep(f)
}
