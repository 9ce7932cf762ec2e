package scheduler

import "github.com/trueasync/trueasync-go/microtask"

// Microtask queues t, to run before the next coroutine does, on the stack of
// the one that gives way. On the loop only. It never suspends. The error that t
// returns is an unhandled failure.
func (s *Scheduler) Microtask(t *microtask.Task) {
	if s.phase.Load() == ended || s.end.final {
		return // what never runs is not kept
	}
	s.micro.Push(t)
	s.hurry()
}
