package scheduler

import (
	"github.com/trueasync/trueasync-go/reactor"
)

// The end of a scheduler.
//
// Graceful: the scope of main is cancelled. What never started is dropped, what
// has started is cancelled and may clean up, until the grace is over.
//
// Final, by a second unhandled failure or the end of the grace: on the root,
// every coroutine that is left is unwound. Its suspension, and each later one,
// fails at once; one that will not have it is ended by a Goexit, so that its
// defers run.
type ending struct {
	stopping   bool  // graceful shutdown has begun
	cause      error // of its cancellations
	wantsFinal bool  // the root is to clean up
	final      bool  // it does

	grace *reactor.Timer

	mainErr  error // main's error that is not its own cancellation
	failures []error
	deadlock *DeadlockError
}

// Shutdown starts a graceful shutdown: cancels every coroutine with cause, drops
// those that never started, main excepted, gives the rest WithGrace to clean up,
// then unwinds what is left. Safe from any goroutine; later calls do nothing.
// A nil cause is [ErrShutdown]; others are wrapped so that they match it.
func (s *Scheduler) Shutdown(cause error) {
	if s.OnLoop() {
		s.shutdown(cause)
		return
	}
	_ = s.enqueue(func() { s.shutdown(cause) }) // what has ended needs none
}

func (s *Scheduler) shutdown(cause error) {
	if s.end.stopping {
		return
	}
	s.end.stopping = true
	s.end.cause = ErrShutdown
	if cause != nil {
		s.end.cause = &shutdownError{cause}
	}
	if s.cfg.grace == 0 {
		s.wantFinal()
	} else {
		s.end.grace = s.reactor.NewTimer(s.cfg.grace, 0).Unref()
		s.end.grace.Subscribe(func(error) { s.wantFinal() })
		if err := s.end.grace.Start(); err != nil {
			s.wantFinal()
		}
	}
	s.scope.cancelAll(s.end.cause)
	s.cancelOffloads()
}

// wantFinal has the root clean up as soon as it is entered, which is next.
func (s *Scheduler) wantFinal() {
	if !s.end.final {
		s.end.wantsFinal = true
		s.countdown = 0
	}
}

// unhandled is where a failure goes that no handler took: the first shuts down,
// the second does not wait any more.
func (s *Scheduler) unhandled(err error) {
	s.end.failures = append(s.end.failures, err)
	if s.end.stopping {
		s.wantFinal()
		return
	}
	s.shutdown(err)
}

// mainEnded notes how main ended. Its failure shuts the rest down.
func (s *Scheduler) mainEnded(err error, how outcome) {
	switch {
	case how == failed:
		s.end.mainErr = err
		if s.end.stopping {
			return
		}
		s.shutdown(err)
	case how == cancelled && !s.end.stopping && s.end.deadlock == nil:
		s.end.mainErr = err // by somebody who cancelled main alone
	}
}

// cleanUp unwinds what is left, on the root.
func (s *Scheduler) cleanUp() {
	s.end.stopping, s.end.wantsFinal, s.end.final = true, false, true
	if s.end.cause == nil {
		s.end.cause = ErrShutdown
	}
	s.countdown = 0
	s.micro.Discard()
	s.scope.cancelAll(s.end.cause)
	for s.live > 0 {
		for _, c := range s.scope.everyone() {
			s.unwind(c)
		}
		for c := s.pop(); c != nil; c = s.pop() {
			s.enter(c)
		}
	}
}

// unwind makes c ready, with a cancellation, wherever it is suspended.
func (s *Scheduler) unwind(c *Coroutine) {
	c.lift()
	c.cancelNow(s.end.cause)
	if c.state == Suspended {
		c.wake(c.cancel.Load())
	}
}

// result is the error that Run returns: main's alone as it is, otherwise a
// composite of main's and of the failures that nobody handled.
func (s *Scheduler) result() error {
	all := s.end.failures
	if s.end.deadlock != nil {
		if len(all) == 0 && s.end.mainErr == nil {
			return s.end.deadlock
		}
		all = append([]error{s.end.deadlock}, all...)
	}
	if s.end.mainErr != nil {
		if len(all) == 0 {
			return s.end.mainErr
		}
		all = append([]error{s.end.mainErr}, all...)
	}
	if len(all) == 0 {
		return nil
	}
	return &CompositeError{all}
}
