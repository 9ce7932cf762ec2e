package scheduler

import "github.com/trueasync/trueasync-go/internal/coro"

// giveWay hands control to whatever runs next and returns when c, the running
// coroutine, runs again. It has been marked as Suspended, or as Ready and queued.
//
// It is leave, the swap, and back. Each function between a suspension and the swap
// costs several nanoseconds (see internal/coro), so Yield writes it out.
func (s *Scheduler) giveWay(c *Coroutine) {
	if to := s.leave(c); to != nil {
		meant := false
		if slot := coro.Park(&c.stack.Context, to); slot.Odd() {
			meant = slot.Yield()
		} else {
			meant = slot.Next()
		}
		if !meant {
			coro.PassOn(&c.stack.Context)
		}
	}
	if c.hooked {
		c.back()
	}
}

// leave is what comes before a swap: a tick. It returns the context to switch to,
// nil where c goes on: woken, or alone, before it was gone.
func (s *Scheduler) leave(c *Coroutine) *coro.Context {
	if c.hooked {
		c.handle(Leave)
	}
	var n *Coroutine
	if s.countdown > 0 { // next, written out
		s.countdown--
		n, _ = s.ready.PopFront()
	}
	if n == nil || n.stack == nil {
		n = s.embody(n)
	}
	if !s.turn(c, n) {
		return nil
	}
	return &n.stack.Context
}

// embody returns a coroutine that can be switched to: n, which has been popped,
// with a stack to start on, or, where there is none or it has ended, the next.
func (s *Scheduler) embody(n *Coroutine) *Coroutine {
	if n == nil || n.state == Finished {
		s.passOver(n)
		n = s.slowNext()
	}
	s.stackFor(n)
	return n
}

// turn notes that n runs next, and reports whether that takes a switch from c.
func (s *Scheduler) turn(c, n *Coroutine) bool {
	n.state = Running
	s.spent = 0
	if n == c {
		return false
	}
	s.running = n
	s.stats.switches++
	return true
}

// back is what comes after a swap, for a coroutine that is hooked: it answers
// whoever asks where it is suspended, and calls its handlers.
func (c *Coroutine) back() {
	c.answerProbe()
	c.handle(Enter)
}

// enter is giveWay for the root.
func (s *Scheduler) enter(n *Coroutine) {
	s.stats.switches++
	to := s.stackFor(n)
	s.begin(n)
	s.root.state = Suspended
	s.pool.Enter(to)
}
