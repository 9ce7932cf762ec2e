package scheduler

import (
	"context"
	"errors"
	"runtime/debug"
)

// end is called when the body has returned, panicked or called Goexit.
func (c *Coroutine) end(err error) {
	switch {
	case err == nil:
		c.finish(nil, succeeded)
	case c.ownCancellation(err):
		var e *CancelledError
		if !errors.As(err, &e) {
			if e = c.cancel.Load(); e == nil {
				e = asCancelled(context.Cause(c.base.Context))
			}
			err = e
		}
		c.finish(err, cancelled)
	default:
		c.finish(err, failed)
	}
}

// finish ends the coroutine: its outcome is noted, whoever waits is told, and
// what nobody waits for is reported. It runs on the loop, on the coroutine's
// stack where it had one.
func (c *Coroutine) finish(err error, how outcome) {
	s := c.s
	owned := c.scope.owns(c)
	if owned && (c.state == Created || c.state == Ready) {
		s.stillborn++
		c.expose() // it cannot be queued again as long as it is
	}
	c.state, c.outcome = Finished, how
	if err != nil {
		c.err = err
	}
	c.gid.Store(0)
	if c.runner == nil { // which runs it again
		c.body = nil
	}
	s.live--
	s.stats.finished++
	if c.x != nil || c.hooked || !c.done.Empty() || c.future != nil && c.future.watched() {
		c.tell(err, owned)
		return
	}
	c.told = 0
	if c.future != nil {
		c.future.settle(err)
	}
	c.done.Release(err)
	c.leave(owned)
}

// tell is the rest of finish where somebody may want to know. All that is called
// may be a user's, and may call runtime.Goexit: the steps are deferred calls, so
// that those that follow are taken all the same.
func (c *Coroutine) tell(err error, owned bool) {
	if c.x != nil && c.x.unlink != nil {
		c.x.unlink()
	}
	c.told = int32(c.done.Count(hears))
	defer c.leave(owned)
	if c.x != nil {
		defer c.runFinally()
	}
	defer c.done.Release(err)
	if c.future != nil {
		defer c.future.settle(err)
	}
	if c.hooked {
		c.handle(Finish)
	}
}

// leave is the last of what ends the coroutine: whoever answers for it is told,
// and its scope loses it, unless it was launched again.
func (c *Coroutine) leave(owned bool) {
	switch {
	case c.runner != nil, c == c.s.main, c.outcome == failed && owned && c.future == nil && c.told == 0:
		c.answer(owned)
	case owned:
		c.scope.remove(c)
	}
}

// answer is leave where somebody answers for the coroutine, who may call
// runtime.Goexit.
func (c *Coroutine) answer(owned bool) {
	reused := false
	defer func() {
		if owned && !reused {
			c.scope.remove(c)
		}
	}()
	switch {
	case c == c.s.main:
		c.s.mainEnded(c.err, c.outcome)
	case c.runner != nil:
		if c.told > 0 {
			c.expose()
		}
		reused = c.runner.ended(c, c.err, c.outcome)
	default:
		c.scope.report(c, c.err)
	}
}

// runFinally calls what Finally was given.
func (c *Coroutine) runFinally() {
	if len(c.x.finally) == 0 {
		return
	}
	fn := c.x.finally[0]
	c.x.finally = c.x.finally[1:]
	defer c.runFinally()
	c.callFinally(fn)
}

// guard calls fn, a callback, and gives a panic in it as an error. While it runs
// the coroutine on whose stack that is cannot suspend.
func (s *Scheduler) guard(fn func()) (err error) {
	if c := s.running; c.state == Running {
		if id := c.gid.Load(); id != 0 {
			c.gid.Store(0)
			defer c.gid.Store(id)
		}
	}
	defer func() {
		if v := recover(); v != nil {
			e := &PanicError{v, debug.Stack()}
			s.logPanic("a callback of the loop", e)
			err = e
		}
	}()
	fn()
	return nil
}

// logPanic logs a panic when it happens: whoever the error reaches may be long
// in coming.
func (s *Scheduler) logPanic(where string, e *PanicError) {
	if s.cfg.logger == nil {
		return
	}
	s.cfg.logger.Error("panic in "+where, "panic", e.Value, "stack", string(e.Stack))
}
