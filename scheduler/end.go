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
				e = asCancelled(context.Cause(c.base))
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
	if c.hooked {
		c.handle(Finish)
	}
	owned := c.scope.owns(c)
	if owned && (c.state == Created || c.state == Ready) {
		s.stillborn++
	}
	c.state, c.outcome, c.err = Finished, how, err
	c.gid.Store(0)
	c.body = nil
	s.live--
	s.stats.finished++
	if c.x != nil && c.x.unlink != nil {
		c.x.unlink()
	}
	watched := !c.done.Empty()
	if c.future != nil {
		c.future.settle(err)
	}
	c.done.Settle(err)
	if c.x != nil {
		finally := c.x.finally
		c.x.finally = nil
		for _, fn := range finally {
			c.callFinally(fn)
		}
	}
	switch {
	case c == s.main:
		s.mainEnded(err, how)
	case c.runner != nil:
		if watched {
			c.expose()
		}
		if c.runner.ended(c, err, how) {
			return
		}
	case how == failed && owned && c.future == nil && !watched:
		c.scope.report(c, err)
	}
	if owned {
		c.scope.remove(c)
	}
}

// guard calls fn, a callback, and gives a panic in it as an error.
func (s *Scheduler) guard(fn func()) (err error) {
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
