package scheduler

import (
	"context"
	"errors"
)

// Cancel asks the coroutine to end; the cause is what its ctx ends with. Safe
// from any goroutine. It does not wait: see Await.
//
// One that has not started never runs. A suspended one's suspension returns a
// [*CancelledError], unless it is under a ctx that is cut off from the
// cancellation, as by context.WithoutCancel or [Protect]. A running one goes on,
// and its next suspension fails. The first cause stays; later calls do nothing.
func (c *Coroutine) Cancel(cause error) {
	if c.s.OnLoop() {
		c.cancelNow(cause)
		return
	}
	_ = c.s.enqueue(func() { c.cancelNow(cause) }) // a loop that has ended has nothing to cancel
}

// cancelNow is Cancel on the loop.
func (c *Coroutine) cancelNow(cause error) {
	if c.state == Finished || c.cancel.Load() != nil || c.x != nil && c.x.pending != nil {
		return
	}
	e := asCancelled(cause)
	switch {
	case c.state == Created && c != c.s.main:
		c.noteCancel(e)
		c.finish(e, cancelled)
	case c.x != nil && c.x.protect > 0:
		c.x.pending = e
	default:
		c.deliver(e)
	}
}

// noteCancel ends the coroutine's ctx, unless the derived ctx that it was spawned
// with has ended before.
func (c *Coroutine) noteCancel(e *CancelledError) {
	c.endedWith = c.linked && c.base.Err() != nil
	c.cancel.Store(e)
}

// deliver ends the coroutine's ctx and wakes it where it waits under that.
func (c *Coroutine) deliver(e *CancelledError) {
	c.noteCancel(e)
	if std := c.std.Load(); std != nil {
		std.end(e.Cause)
	}
	if c.x != nil {
		c.x.onCancel.Settle(nil)
	}
	c.interrupt = true
	switch {
	case c.listening && c.state == Suspended:
		c.wake(e)
	case c.listening && c.state == Ready:
		c.merge(e)
	case c.carrier != nil && c.carrier.waitCtx != nil:
		ctx := c.carrier.waitCtx
		if noticeEnd(ctx); ctx.Err() != nil {
			c.ctxEnded(ctx) // now, and not when the loop is told of it
		}
	}
}

// isCancellation reports whether err is one, whoever was cancelled.
func isCancellation(err error) bool { return errors.Is(err, context.Canceled) }

// ownCancellation reports whether err, which the body returned, is the
// cancellation that it was given: any that matches context.Canceled, also
// wrapped, or the cause, or what its ctx says.
func (c *Coroutine) ownCancellation(err error) bool {
	e := c.cancel.Load()
	if e == nil && c.x != nil {
		e = c.x.pending
	}
	if e == nil && !c.linkEnded() {
		return false
	}
	if isCancellation(err) {
		return true
	}
	if e != nil && e.Cause != nil && err == e.Cause {
		return true
	}
	return c.linkEnded() && (err == c.base.Err() || err == context.Cause(c.base.Context))
}
