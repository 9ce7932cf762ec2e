package scheduler

import "context"

// Methods that have no ctx, as those of net.Conn, are interrupted once by a
// cancellation of the coroutine: the one under way, or the next. [Coroutine.Wait]
// is how they wait; here is what else they need.

// noCtx stands for the ctx of a method that has none, where a ctx is passed on.
var noCtx context.Context

// Interrupted takes the cancellation that has interrupted no wait yet, nil where
// there is none: a method without a ctx begins with it, so that it is interrupted
// also where it would not have to wait. In the final clean-up there is one every
// time. It is for the running coroutine, and never suspends.
func (c *Coroutine) Interrupted() error {
	if c.interrupt {
		c.interrupt = false
		return c.endOf(c)
	}
	if c.s.end.final {
		return c.refuse(noCtx)
	}
	return nil
}

// InterruptNext has the interruption that a Wait has returned come again, at the
// next wait: what this one was waiting for had come as well, and is better
// delivered. It does nothing on a coroutine that is not cancelled.
func (c *Coroutine) InterruptNext() { c.interrupt = c.hasEnded() }

// overrule drops err, which ended a suspension: what it was for has come as well,
// and is given. A cancellation is told of by the next wait.
func (c *Coroutine) overrule(err error) {
	if isCancellation(err) {
		c.InterruptNext()
	}
}
