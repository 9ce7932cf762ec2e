package scheduler

import (
	"context"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/reactor"
)

// Await returns the result, waiting for it where it is not there yet. What has
// settled is given at once, also under a ctx that has ended; then no coroutine
// switches. It may be called from any goroutine: a coroutine, with its ctx, is
// suspended; a goroutine that is no loop's blocks, under any ctx.
//
// The end of ctx ends the waiting alone, with the errors of [Suspend]; the future
// and its other waiters are untouched.
func (f *Future[T]) Await(ctx context.Context) (T, error) {
	if f.phase.Load() != settled {
		if err := f.wait(ctx); err != nil {
			var none T
			return none, err
		}
	}
	return f.get()
}

// get is the result of a settled future.
func (f *Future[T]) get() (T, error) {
	if f.err != nil {
		f.look()
	}
	return f.v, f.err
}

// wait returns when f is settled, or why it cannot wait until then.
func (f *future) wait(ctx context.Context) error {
	c, err := own(ctx)
	if err != nil {
		return f.block(ctx, err)
	}
	c.carrier.looks = true
	events := [1]reactor.Event{f}
	if _, err = c.suspend(ctx, events[:]); err != nil && f.phase.Load() == settled {
		c.overrule(err)
		return nil
	}
	return err
}

// block is wait for a goroutine that is no coroutine with its own ctx; one that
// is a loop all the same must not block, and gets notOwn.
func (f *future) block(ctx context.Context, notOwn error) error {
	if f.s.OnLoop() || current(ctx) != nil && current(ctx).s.OnLoop() {
		return notOwn
	}
	done := make(chan struct{})
	w := &otherWaiter{notify: func() { close(done) }}
	if !f.addOther(w) {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		if !f.others.remove(w) {
			return nil
		}
		return endOfForeign(ctx)
	}
}

// endOfForeign is why a ctx has ended, for a goroutine that is no coroutine.
func endOfForeign(ctx context.Context) error {
	if ctx.Err() == context.Canceled {
		return asCancelled(context.Cause(ctx))
	}
	return asTimeout(ctx.Err(), context.Cause(ctx))
}

// Await waits until the coroutine has ended and returns its error. The end of ctx
// ends the waiting alone. A coroutine, with its ctx, is suspended; a goroutine
// that is no loop's blocks, under any ctx. A coroutine that awaits itself gets an
// error, and so does one of another scheduler.
func (c *Coroutine) Await(ctx context.Context) error {
	me, err := own(ctx)
	if err != nil {
		return c.block(ctx, err)
	}
	if me == c {
		return errOwnEnd
	}
	if me.s != c.s {
		return errOtherLoop
	}
	if c.state == Finished {
		c.s.stats.fastReturns++
		return c.look()
	}
	me.carrier.looks = true
	events := [1]reactor.Event{c}
	if _, err := me.suspend(ctx, events[:]); err != nil {
		if c.state != Finished {
			return err
		}
		me.overrule(err)
	}
	return c.look()
}

// look is the outcome of a coroutine that has ended, looked at.
func (c *Coroutine) look() error {
	if c.x != nil && c.x.refused != nil {
		c.x.refused.seen = true
	}
	if c.future != nil {
		c.future.seen.Store(true)
	}
	return c.err
}

// block is Await for a goroutine that is no coroutine with its own ctx.
func (c *Coroutine) block(ctx context.Context, notOwn error) error {
	switch {
	case c.s.OnLoop() && c.state == Finished:
		return c.look()
	case c.s.OnLoop() || current(ctx) != nil && current(ctx).s.OnLoop():
		return notOwn
	}
	b := &blocker{c: c, ended: make(chan error, 1)}
	b.Target = b
	if err := c.s.enqueueItem(inboxItem{run: b.join, refused: b.join}); err != nil {
		return c.look() // the loop has ended, and with it every coroutine
	}
	select {
	case err := <-b.ended:
		return err
	case <-ctx.Done():
		if b.answered.Swap(true) {
			return <-b.ended
		}
		_ = c.s.enqueue(func() { c.done.RemoveWaiter(&b.Waiter) })
		return endOfForeign(ctx)
	}
}

// blocker is a goroutine that blocks until a coroutine has ended.
type blocker struct {
	event.Waiter
	c        *Coroutine
	answered atomic.Bool // it has been told, or has gone
	ended    chan error
}

func (b *blocker) join() { b.c.AddWaiter(&b.Waiter) }

// hears implements hearer: from then on it waits for the answer.
func (b *blocker) hears() bool { return !b.answered.Swap(true) }

// Fired implements event.Target.
func (b *blocker) Fired(_ *event.Waiter, err error) {
	b.answered.Store(true)
	b.ended <- err
}
