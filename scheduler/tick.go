package scheduler

import "time"

// One tick: what lies between two coroutines. It runs on the stack of the one
// that gives way.
//
//  1. Microtasks, first in first out, up to a budget.
//  2. A look at the inbox and at the reactor, without waiting: every so many
//     switches, the window.
//  3. The next coroutine, from the head of the run queue.
//  4. Where none is ready: the reactor, waiting, on the same stack. The root is
//     entered only where there is nothing to wait for: at the end, for a
//     deadlock, and for the final clean-up.
//
// All but 3 is left out while countdown is above 0; whoever makes more work than
// a pop sets it to 0.

const (
	// maxWindow is the most switches between two looks at the reactor.
	maxWindow = 61
	// lookEvery is the time between two looks that the window aims at: coroutines
	// that run for long between their suspensions narrow it.
	lookEvery = 500 * time.Microsecond
	// microBudget is the most microtasks of one tick.
	microBudget = 256
	// inboxBudget is how much of the inbox one look takes.
	inboxBudget = 64
	// highBudget is how often coroutines of high priority go to the head of the
	// queue before one of them has to go to its end.
	highBudget = 61
)

// tickState is what the ticks remember.
type tickState struct {
	window int // switches between two looks, 1 to maxWindow
	// owed is what was left of countdown when it was set to 0 for the sake of
	// something else than a look.
	owed int
	high int       // insertions at the head since one was refused
	last time.Time // of the last look or wait
	// stamp is last by the scheduler's clock: the age of what happens until the
	// next is counted from it, as reading a clock costs half a switch.
	stamp int64
	// round is how many of the head of the run queue have been permuted.
	round int
}

// next takes the coroutine that runs next from the run queue; it is the root
// where only that can go on.
func (s *Scheduler) next() *Coroutine {
	if s.countdown > 0 {
		s.countdown--
		c, _ := s.ready.PopFront()
		if c != nil && c.state != Finished {
			return c
		}
		s.passOver(c)
	}
	return s.slowNext()
}

func (s *Scheduler) slowNext() *Coroutine {
	c := s.choose()
	if s.dog != nil {
		s.dog.beat(c)
	}
	return c
}

// choose is next where it is more than a pop.
func (s *Scheduler) choose() *Coroutine {
	lastTasks := -1 // microtasks that may still run when all else is over
	for {
		switch {
		case s.end.final:
			if c := s.pop(); c != nil {
				return c
			}
			return s.root
		case s.end.wantsFinal:
			return s.root
		case s.live == 0 && s.offloads.busy == 0:
			s.pop() // what is left there has ended
			if lastTasks < 0 {
				lastTasks = s.micro.Len() + microBudget
			}
			if lastTasks == 0 || s.micro.Len() == 0 {
				return s.root // those that queue others for ever do not keep Run from ending
			}
			lastTasks = max(0, lastTasks-microBudget)
			s.drainMicrotasks()
		case s.micro.Len() > 0 || s.ready.Len() > 0:
			s.work()
			if c := s.pop(); c != nil {
				return c
			}
		case s.inbox.some():
			s.drainInbox()
			s.execute(true) // also where the inbox is never empty
		case !s.hopeful():
			return s.root
		default:
			s.await()
		}
	}
}

// pop takes the head of the run queue. What ended while it was queued, cancelled
// before it started, is passed over.
func (s *Scheduler) pop() *Coroutine {
	for {
		if s.seed != nil {
			s.permute()
		}
		c, ok := s.ready.PopFront()
		if !ok || c.state != Finished {
			return c
		}
		s.passOver(c)
	}
}

// passOver counts what was taken from the run queue and will not run: it ended
// while it was queued. A nil c is none.
func (s *Scheduler) passOver(c *Coroutine) {
	if c != nil {
		s.stillborn--
	}
}

// permute shuffles the run queue, once for each round: as many coroutines as are
// ready when the round begins. Those that became ready come before those that
// yielded, for a Yield lets the others run first.
func (s *Scheduler) permute() {
	if s.tick.round > 0 {
		s.tick.round--
		return
	}
	n, woken := s.ready.Len(), 0
	for i := range n {
		if c := s.ready.At(i); c.yielded {
			c.yielded = false
		} else {
			s.ready.Swap(i, woken)
			woken++
		}
	}
	s.seed.Shuffle(woken, s.ready.Swap)
	s.seed.Shuffle(n-woken, func(i, j int) { s.ready.Swap(woken+i, woken+j) })
	s.tick.round = max(n-1, 0)
}

// work is the tick where it is more than a pop.
func (s *Scheduler) work() {
	if s.micro.Len() > 0 {
		s.drainMicrotasks()
	}
	everyTime := s.seed != nil || s.dog != nil // must come by at each switch
	if s.tick.owed > 0 && s.micro.Len() == 0 {
		if everyTime {
			s.tick.owed--
		} else {
			s.countdown, s.tick.owed = s.tick.owed, 0
		}
		return
	}
	s.look()
	if everyTime {
		s.countdown, s.tick.owed = 0, s.countdown
	}
}

// hurry has the next switch come by slowNext.
func (s *Scheduler) hurry() {
	s.tick.owed += s.countdown
	s.countdown = 0
}

// look takes what has come from outside, without waiting.
func (s *Scheduler) look() {
	s.drainInbox()
	s.execute(true)
	now := time.Now()
	s.tick.stamp = s.stampAt(now)
	if passed := now.Sub(s.tick.last); passed > lookEvery {
		s.tick.window = max(1, int(int64(s.tick.window)*int64(lookEvery)/int64(passed)))
	} else {
		s.tick.window = min(maxWindow, 2*s.tick.window)
	}
	s.tick.last = now
	s.countdown, s.tick.owed = s.tick.window, 0
}

// hopeful reports whether waiting can make a coroutine ready. One that cannot be
// sure looks at the reactor once more.
func (s *Scheduler) hopeful() bool {
	if s.holds > 0 || s.offloads.busy > 0 || s.reactor.Alive() {
		return true
	}
	s.execute(true)
	return s.ready.Len() > 0 || s.micro.Len() > 0 || s.inbox.some()
}

// await waits for the reactor, or for a wake-up from outside.
func (s *Scheduler) await() {
	if s.watches != nil && s.virtualTime() {
		if s.noticeEnds(); s.ready.Len() > 0 {
			return
		}
	}
	s.execute(false)
	now := time.Now()
	s.tick.last, s.tick.stamp = now, s.stampAt(now)
}

// stampAt is the time by the scheduler's clock, in nanoseconds; now is the
// system's.
func (s *Scheduler) stampAt(now time.Time) int64 {
	if s.cfg.clock != nil {
		now = s.cfg.clock.Now()
	}
	return now.UnixNano()
}

// execute lets the reactor handle what has happened. What it cannot do any more
// is an unhandled failure.
func (s *Scheduler) execute(noWait bool) {
	s.stats.reactorTicks++
	if s.dog != nil {
		s.dog.beats.Add(1)
	}
	err := s.guard(func() {
		if _, err := s.reactor.Execute(noWait); err != nil {
			s.unhandled(err)
		}
	})
	if err != nil {
		s.unhandled(err)
	}
}

func (s *Scheduler) drainMicrotasks() {
	err := s.guard(func() {
		ran, err := s.micro.Drain(microBudget)
		s.stats.microtasks += uint64(ran)
		if err != nil {
			s.unhandled(err)
		}
	})
	if err != nil {
		s.stats.microtasks++
		s.unhandled(err)
	}
}

// enqueueReady puts c into the run queue.
func (s *Scheduler) enqueueReady(c *Coroutine) {
	if !c.high {
		s.ready.PushBack(c)
		return
	}
	if s.tick.high++; s.tick.high > highBudget {
		s.tick.high = 0
		s.ready.PushBack(c)
		return
	}
	s.ready.PushFront(c)
}
