package scheduler

// Stats are counters since the start and sizes now.
type Stats struct {
	// Coroutines are those that have been spawned and have not ended, Ready those
	// of them in the run queue, Suspended those that wait.
	Coroutines, Ready, Suspended int

	Spawned, Finished uint64 // coroutines
	Switches          uint64 // of stacks, the loop's own included
	DirectStarts      uint64 // coroutines that began on the stack of one that had ended
	FastReturns       uint64 // suspensions that had nothing to wait for
	Microtasks        uint64 // that ran, posts included
	ReactorTicks      uint64 // looks at the reactor
}

// counters are the loop's.
type counters struct {
	spawned, finished, switches, directStarts, fastReturns, microtasks, reactorTicks uint64
}

// Stats is safe from any goroutine. Off the loop it waits for the loop to come by:
// a coroutine that holds the loop holds it up as well.
func (s *Scheduler) Stats() (st Stats) {
	s.inquire(func() { st = s.statsNow() })
	return st
}

func (s *Scheduler) statsNow() Stats {
	n := &s.stats
	ready := s.ready.Len() - s.stillborn
	running := 0
	if c := s.running; c != s.root && c.state == Running {
		running = 1
	}
	return Stats{
		Coroutines: s.live, Ready: ready, Suspended: s.live - ready - running,
		Spawned: n.spawned, Finished: n.finished, Switches: n.switches, DirectStarts: n.directStarts,
		FastReturns: n.fastReturns, Microtasks: n.microtasks, ReactorTicks: n.reactorTicks,
	}
}

// inquire calls fn where it may look at what belongs to the loop: on the loop, or,
// while there is none, under the lock that lets none begin or end.
func (s *Scheduler) inquire(fn func()) {
	if s.OnLoop() {
		fn()
		return
	}
	s.life.Lock()
	if s.phase.Load() != looping {
		defer s.life.Unlock()
		fn()
		return
	}
	s.life.Unlock()
	answered := make(chan struct{})
	answer := func() {
		defer close(answered)
		fn()
	}
	if err := s.enqueueItem(inboxItem{run: answer, refused: answer}); err != nil {
		s.life.Lock() // it has ended, or is about to
		defer s.life.Unlock()
		fn()
		return
	}
	<-answered
}
