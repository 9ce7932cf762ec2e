package scheduler

import "context"

// Protect runs fn so that cancellation is delivered after it, not within it: the
// ctx that fn gets has no end, and the end of the coroutine's own ctx waits for
// the outermost Protect to return. It nests. It serves to finish what must not be
// left half done, and to clean up after a cancellation. The end of a derived ctx,
// which is not the coroutine's to hold up, is delivered where fn has returned nil.
//
// The error is fn's; where that is nil, the cancellation that came meanwhile. The
// final clean-up of a shutdown, and a deadlock, lift the protection. Protect is for
// the coroutine of ctx, and suspends where fn does.
func Protect(ctx context.Context, fn func(context.Context) error) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	if fn == nil {
		misuse("Protect(nil)")
	}
	endedBefore := c.endOf(ctx) != nil
	if err := c.protected(context.WithoutCancel(ctx), fn); err != nil {
		return err
	}
	if endedBefore {
		return nil
	}
	return c.endOf(ctx)
}

func (c *Coroutine) protected(ctx context.Context, fn func(context.Context) error) error {
	x := c.extra()
	x.protect++
	defer func() {
		if x.protect > 0 { // not lifted
			x.protect--
		}
		if x.protect == 0 && x.pending != nil {
			e := x.pending
			x.pending = nil
			c.deliver(e)
		}
	}()
	return fn(ctx)
}

// lift ends the protection of c, for good.
func (c *Coroutine) lift() {
	if c.x == nil || c.x.protect == 0 {
		return
	}
	c.x.protect = 0
	if e := c.x.pending; e != nil {
		c.x.pending = nil
		c.deliver(e)
	}
}
