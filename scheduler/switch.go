package scheduler

import "github.com/trueasync/trueasync-go/ctxpool"

// giveWay hands control to whatever runs next and returns when c, the running
// coroutine, runs again. It has been marked as Suspended, or as Ready and queued.
//
// The way from here to the swap is kept short and flat: see internal/coro.
func (s *Scheduler) giveWay(c *Coroutine) {
	if c.x != nil && len(c.x.handlers) > 0 {
		c.handle(Leave)
	}
	n := s.next()
	if n == c {
		c.state = Running // woken, or alone, before it was gone
	} else {
		to := n.stack
		if to == nil {
			to = s.stackFor(n)
		}
		s.stats.switches++
		n.state = Running
		s.running = n
		ctxpool.Switch(c.stack, to)
		if c.probing {
			c.answerProbe()
		}
	}
	if c.x != nil && len(c.x.handlers) > 0 {
		c.handle(Enter)
	}
}

// enter is giveWay for the root.
func (s *Scheduler) enter(n *Coroutine) {
	s.stats.switches++
	to := s.stackFor(n)
	s.begin(n)
	s.root.state = Suspended
	s.pool.Enter(to)
}
