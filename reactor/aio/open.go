package aio

import (
	"context"

	"github.com/trueasync/trueasync-go/scheduler"
)

// open runs fn, which opens something, or waits for something, as a coroutine
// with its ctx: the calling one, or, for a goroutine that is not on the loop but
// has a ctx of the loop's, as in Offload, a new one that it blocks for.
func open[T any](ctx context.Context, fn func(context.Context) (T, error)) (v T, err error) {
	c := scheduler.Current(ctx)
	if c == nil {
		return v, scheduler.ErrNotCoroutine
	}
	s := c.Scheduler()
	switch running := s.Running(); {
	case running == c:
		err := c.YieldIfSpent()
		if err == nil {
			err = ended(ctx)
		}
		c.Spend(openCost)
		if err != nil {
			return v, err
		}
		return fn(ctx)
	case running != nil:
		return v, scheduler.ErrForeignGoroutine
	case s.OnLoop():
		return v, scheduler.ErrNotCoroutine
	}
	return scheduler.Submit(s, func(own context.Context) (T, error) {
		both, release := join(own, ctx)
		defer release()
		if err := ended(both); err != nil {
			return v, err
		}
		return fn(both)
	}).Await(context.WithoutCancel(ctx)) // it ends with ctx by itself, and then nothing is lost
}

// join returns a ctx that belongs to own's coroutine, and ends with own and with
// ctx.
func join(own, ctx context.Context) (both context.Context, release func()) {
	both, end := context.WithCancelCause(own)
	follow := func() {
		if ctx.Err() == context.Canceled { // a deadline is kept by both itself
			end(context.Cause(ctx))
		}
	}
	follow() // an AfterFunc would come too late for what has happened already
	stop := context.AfterFunc(ctx, follow)
	timeUp := func() {}
	if at, ok := ctx.Deadline(); ok {
		both, timeUp = context.WithDeadline(both, at)
	}
	return both, func() {
		stop()
		timeUp()
		end(nil)
	}
}

// ended is the error of a suspension under ctx where that has ended.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	_, err := scheduler.Suspend(ctx)
	return err
}
