package reactor

import "time"

// What the loop is doing, as far as a wake-up must know. The loop alone moves
// the state to a waiting one and back to running; any goroutine moves it to
// woken. Whoever replaces a waiting state owes the loop one kick, by the means
// that the replaced state names. So there is at most one kick a wait, and none
// while the loop runs.
const (
	running   = iota
	inChannel // blocked, or about to, on the kick channel
	inBackend // blocked, or about to, in the backend
	woken     // a wake-up waits to be seen
)

// Wake makes a blocked Execute return, or the next one that would block. It is
// safe from any goroutine, also after Close; wake-ups are never lost, and
// several that come before the loop has seen the first count as one. It costs
// no system call unless the loop is blocked in one.
func (r *Reactor) Wake() {
	for {
		s := r.state.Load()
		if s == woken {
			return
		}
		if r.state.CompareAndSwap(s, woken) {
			r.kickFrom(s)
			return
		}
	}
}

// nudge is Wake for what the reactor itself finds on its next tick: it leaves
// no trace on a loop that runs.
func (r *Reactor) nudge() {
	for {
		s := r.state.Load()
		if s == woken || s == running {
			return
		}
		if r.state.CompareAndSwap(s, woken) {
			r.kickFrom(s)
			return
		}
	}
}

// Waiting reports whether Execute is blocked, or about to: whoever watches a loop
// from outside can tell one that waits from one that is held up. Safe from any
// goroutine.
func (r *Reactor) Waiting() bool {
	s := r.state.Load()
	return s == inChannel || s == inBackend
}

func (r *Reactor) kickFrom(s int32) {
	switch s {
	case inChannel:
		select {
		case r.kick <- struct{}{}:
		default: // a kick that came too late for its own wait serves for this one
		}
	case inBackend:
		r.backend.Wake()
	}
}

// beginWait announces that the loop is about to block; whatever was made known
// before must be looked for after it. False says that a wake-up came first:
// it is taken, and the loop must not block.
func (r *Reactor) beginWait(where int32) bool {
	if r.state.CompareAndSwap(running, where) {
		return true
	}
	r.state.Store(running)
	return false
}

// endWait undoes beginWait and reports whether a wake-up came meanwhile, which
// is thereby taken.
func (r *Reactor) endWait() bool { return r.state.Swap(running) == woken }

// sleep blocks on Go's own means, so that a loop without descriptors costs no
// system resource and lives on the fake time of testing/synctest. Less than 0
// is for ever.
func (r *Reactor) sleep(d time.Duration) {
	if d < 0 {
		<-r.kick
		return
	}
	if r.sleeper == nil {
		r.sleeper = time.NewTimer(d)
	} else {
		r.sleeper.Reset(d)
	}
	select {
	case <-r.kick:
	case <-r.sleeper.C:
	}
	r.sleeper.Stop()
}
