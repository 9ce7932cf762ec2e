package reactor

import (
	"math"
	"net"
	"time"

	"github.com/trueasync/trueasync-go/internal/timers"
)

// Timer fires once after its duration, or again and again. Timers due at the
// same moment fire in the order of their starts. A timer that is started while
// others fire waits for the next tick, however short its duration.
type Timer struct {
	waiters
	r      *Reactor
	node   timers.Node[Timer]
	d      time.Duration
	repeat time.Duration
	starts starts
	unref  bool
}

// NewTimer returns an idle timer; its time runs from Start, by a clock read at
// that moment. A repeat of 0 means once; a negative duration is 0.
//
// A timer that fires once is idle again, and completed, when it has: whoever
// subscribes then is called at once, until it is started again. One that repeats
// keeps its beat; beats that were missed are left out.
func (r *Reactor) NewTimer(d, repeat time.Duration) *Timer {
	t := &Timer{r: r, d: max(0, d), repeat: max(0, repeat)}
	t.node.Value = t
	return t
}

// Start arms the timer; see [Event]. It allocates nothing.
func (t *Timer) Start() error {
	first, err := t.begin()
	if first {
		t.arm(t.r.now(), t.d)
	}
	return err
}

// StartAt is Start for a caller who has just read the reactor's clock, by
// [Reactor.Now]: the timer's time runs from now, and many timers cost one reading.
func (t *Timer) StartAt(now time.Time) error {
	first, err := t.begin()
	if first {
		t.arm(int64(now.Sub(t.r.base)), t.d)
	}
	return err
}

// begin counts a start, and reports whether it is the first.
func (t *Timer) begin() (first bool, err error) {
	if t.r.closed {
		return false, net.ErrClosed
	}
	if !t.starts.start() {
		return false, nil
	}
	t.pend()
	t.hold()
	return true, nil
}

// Stop undoes one Start; see [Event].
func (t *Timer) Stop() {
	if t.starts.stop() {
		t.r.timers.Remove(&t.node)
		t.release()
	}
}

// Reset gives the timer another duration, so that it can be used again without
// another allocation. One that has fired is pending again, for whoever
// subscribes; one that is armed runs anew from now, by a clock read now.
func (t *Timer) Reset(d time.Duration) {
	t.d = max(0, d)
	if !t.starts.any() {
		t.pend()
		return
	}
	t.r.timers.Remove(&t.node)
	t.arm(t.r.now(), t.d)
}

// Unref lets a loop end although the timer is armed. It returns t.
func (t *Timer) Unref() *Timer {
	if !t.unref && t.starts.any() {
		t.release()
	}
	t.unref = true
	return t
}

// String names the timer: "timer 5s", "timer 5s every 1s".
func (t *Timer) String() string {
	s := "timer " + t.d.String()
	if t.repeat > 0 {
		s += " every " + t.repeat.String()
	}
	return s
}

// farFuture is the latest moment there is.
const farFuture = math.MaxInt64

func (t *Timer) arm(from int64, d time.Duration) {
	when := int64(farFuture)
	if from < farFuture-int64(d) {
		when = from + int64(d)
	}
	t.r.timers.Add(&t.node, when)
}

func (t *Timer) hold() {
	if !t.unref {
		t.r.alive++
	}
}

func (t *Timer) release() {
	if !t.unref {
		t.r.alive--
	}
}

// expire is called when the timer has been taken from the batch of those due.
func (t *Timer) expire() {
	t.r.fired++
	if t.repeat == 0 {
		t.starts = 0
		t.release()
		t.complete(nil)
		return
	}
	due, now := t.node.When(), t.r.now()
	late := max(0, now-due)
	t.arm(due+late-late%int64(t.repeat), t.repeat)
	t.fire(nil)
}

// abandon is called when the reactor closes and has taken the timer out.
func (t *Timer) abandon() {
	t.starts = 0
	t.release()
	t.complete(net.ErrClosed)
}
