package reactor

import "time"

// Clock tells a reactor the time. A clock that also has
//
//	AdvanceTo(t time.Time)
//
// is virtual: its time stands still until the reactor, having nothing to do
// before the next timer is due, moves it there.
type Clock interface {
	// Now is called on the loop.
	Now() time.Time
}

// advancer is what makes a Clock virtual.
type advancer interface{ AdvanceTo(t time.Time) }

// WithClock has the reactor follow c in place of the system's monotonic clock.
//
// While a virtual clock's reactor waits for descriptors, signals or children
// too, it gives them a millisecond of real time before each step of the clock;
// file operations and look-ups under way are waited for.
func WithClock(c Clock) Option {
	return func(r *Reactor) {
		r.clock = c
		r.virtual, _ = c.(advancer)
	}
}

// WithOutside tells a reactor with a virtual clock about work that it cannot
// see. While pending reports true, time does not step on: the reactor waits,
// in real time, for whatever that work does in the end, which must include a
// Wake. It is called on the loop.
func WithOutside(pending func() bool) Option {
	return func(r *Reactor) { r.outside = pending }
}

// Now is the time by the reactor's clock.
func (r *Reactor) Now() time.Time {
	if r.clock == nil {
		return time.Now()
	}
	return r.clock.Now()
}

// NextTimer is the moment at which the next timer is due, by the reactor's
// clock; false if none is armed.
func (r *Reactor) NextTimer() (at time.Time, ok bool) {
	when, ok := r.timers.Next()
	if !ok {
		return time.Time{}, false
	}
	return r.base.Add(time.Duration(when)), true
}

// now is the reactor's time in nanoseconds since base.
func (r *Reactor) now() int64 {
	if r.clock == nil {
		return int64(time.Since(r.base))
	}
	return int64(r.clock.Now().Sub(r.base))
}

// grace is how long descriptors are given before a virtual clock steps on.
const grace = time.Millisecond

// patience is how long the loop may block, less than 0 for ever, and whether a
// virtual clock steps to the next timer once nothing has happened by then.
func (r *Reactor) patience() (d time.Duration, step bool) {
	when, ok := r.timers.Next()
	switch {
	case !ok:
		return -1, false
	case r.virtual == nil:
		return max(0, time.Duration(when-r.now())), false
	case r.off.busy() || r.outside != nil && r.outside():
		return -1, false
	case when <= r.now():
		return 0, false
	case r.watching() || r.realEvents > 0:
		return grace, true
	}
	return 0, true
}
