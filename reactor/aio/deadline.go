package aio

import (
	"math"
	"net"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/reactor"
)

// deadline is the moment after which a side's operations fail.
//
// Its timer runs only once somebody waits, and is left to run when the deadline
// moves on, or the waiting ends: so a deadline that is set anew before each
// operation costs no timer. The timer holds no loop.
type deadline struct {
	at       atomic.Int64 // since epoch, in nanoseconds; never where there is none
	timer    *reactor.Timer
	armedFor int64 // when the timer fires, never where it does not run
}

// never is no deadline.
const never = 0

// epoch is what moments are counted from.
var epoch = time.Now()

// moment is t as a deadline has it.
func moment(t time.Time) int64 {
	if t.IsZero() {
		return never
	}
	if at := int64(t.Sub(epoch)); at != never {
		return at
	}
	return never + 1
}

// expired reports whether the deadline has passed.
func (sd *side) expired() bool {
	at := sd.at.Load()
	return at != never && at <= moment(sd.h.s.Now())
}

// remaining is how long it is until the deadline.
func (sd *side) remaining() time.Duration {
	at := sd.at.Load()
	if at == never {
		return math.MaxInt64
	}
	return max(0, time.Duration(at-moment(sd.h.s.Now())))
}

// set moves the deadline, from any goroutine, also for those who wait already.
func (sd *side) set(t time.Time) error {
	s := sd.h.s
	sd.at.Store(moment(t))
	if sd.h.closed.Load() {
		return net.ErrClosed
	}
	if sd.waiting.Load() == 0 {
		return nil
	}
	if s.OnLoop() {
		sd.moved()
		return nil
	}
	if err := s.Post(sd.moved); err != nil {
		return net.ErrClosed
	}
	return nil
}

// moved has the deadline act on those who wait.
func (sd *side) moved() {
	if sd.expired() {
		sd.expire()
		return
	}
	sd.arm()
}

// arm starts the timer, if it is needed and would not be in time.
func (sd *side) arm() {
	at := sd.at.Load()
	if at == never || sd.first == nil || sd.armedFor != never && sd.armedFor <= at {
		return
	}
	d := sd.remaining()
	if sd.timer == nil {
		sd.timer = sd.h.s.Reactor().NewTimer(d, 0).Unref()
		sd.timer.Subscribe(func(error) {
			sd.armedFor = never
			sd.moved()
		})
	} else {
		sd.timer.Reset(d)
	}
	if sd.armedFor == never && sd.timer.Start() != nil {
		return // the reactor has closed, which everybody is about to be told
	}
	sd.armedFor = at
}

// expire fails those who wait.
func (sd *side) expire() {
	for q := sd.first; q != nil; {
		next := q.next
		if done, _ := q.Done(); !done {
			q.late = true
			q.Cancel()
		}
		q = next
	}
}

// disarm is called when the handle closes.
func (sd *side) disarm() {
	if sd.armedFor != never {
		sd.armedFor = never
		sd.timer.Stop()
	}
}
