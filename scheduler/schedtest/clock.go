package schedtest

import (
	"sync"
	"time"
)

// Clock is virtual time: it stands still while anything can run and jumps to the
// next timer when nothing can. Give it to a scheduler with
// [scheduler.WithClock]; Run does so by itself. Its methods are safe from any
// goroutine.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *Clock { return &Clock{now: start} }

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on by d, as work that takes time would: timers that are
// due by then fire at the loop's next look. A negative d does nothing.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(max(d, 0))
}

// AdvanceTo moves the clock on to t; it never goes back. The loop calls it, when
// nothing can run before the timer that is due at t.
func (c *Clock) AdvanceTo(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
}
