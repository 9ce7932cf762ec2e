package scheduler

// deadlock is called on the root where coroutines are left and nothing can ever
// make one of them ready: it reports them, and cancels them all so that their
// defers run.
func (s *Scheduler) deadlock() {
	report := &DeadlockError{}
	for _, c := range s.scope.everyone() {
		report.Coroutines = append(report.Coroutines, c.info())
	}
	if s.end.deadlock != nil || s.end.stopping {
		// They were cancelled before and wait again, cut off from their
		// cancellation, for what cannot come.
		if s.end.deadlock == nil {
			s.end.deadlock = report
		}
		s.cleanUp()
		return
	}
	s.end.deadlock = report
	for _, c := range s.scope.everyone() {
		c.lift()
		c.cancelNow(report)
		if c.state == Suspended {
			c.wake(c.cancel.Load()) // also where its ctx is cut off
		}
	}
}
