package scheduler

import (
	"context"
	"time"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// A coroutine is a context.Context. What package context needs of one, a
// channel and a list of children, is a cancelCtx of package context itself,
// made when somebody asks for it: most coroutines live and die without. It is
// used from any goroutine.
//
// Whoever makes it and whoever cancels may meet: both store theirs first and
// then look for the other's, so at least one of them sees both.

type stdContext struct {
	context.Context
	end context.CancelCauseFunc
}

type coroutineKey struct{}

// baseContext is the ctx below a coroutine's: what it was spawned with, or, after a
// spawn from a bare ctx, what that one has below. It does not change, and is shared
// by all that have it.
type baseContext struct {
	context.Context
	ends bool // it can: it has a Done channel
}

func newBase(ctx context.Context) *baseContext { return &baseContext{ctx, ctx.Done() != nil} }

// stdCtx returns the coroutine's cancelCtx, ended where the coroutine is cancelled:
// nobody may see the one without the other.
func (c *Coroutine) stdCtx() *stdContext {
	p := c.std.Load()
	if p == nil {
		base := c.base.Context
		if c.cancel.Load() != nil && !c.endedWith {
			base = context.WithoutCancel(base) // which ended later, if at all
		}
		ctx, end := context.WithCancelCause(base)
		p = &stdContext{ctx, end}
		if !c.std.CompareAndSwap(nil, p) {
			end(nil)
			p = c.std.Load()
		}
	}
	if e := c.cancel.Load(); e != nil {
		p.end(e.Cause)
	}
	return p
}

// Done implements context.Context. Its channel closes when the coroutine is
// cancelled, not when it ends by itself. Safe from any goroutine.
func (c *Coroutine) Done() <-chan struct{} { return c.stdCtx().Done() }

// Err implements context.Context. Safe from any goroutine.
func (c *Coroutine) Err() error {
	if c.cancel.Load() == nil || c.endedWith {
		return c.base.Err()
	}
	if c.std.Load() != nil {
		c.stdCtx() // so that its channel is closed, and it has the cause
	}
	return context.Canceled
}

// Deadline implements context.Context: the earliest known, that of the ctx it
// was spawned with or of the one that Run was given. Safe from any goroutine.
func (c *Coroutine) Deadline() (time.Time, bool) {
	at, ok := c.base.Deadline()
	if all, yes := c.s.runCtx.Deadline(); yes && (!ok || all.Before(at)) {
		return all, true
	}
	return at, ok
}

// Value implements context.Context. Safe from any goroutine.
func (c *Coroutine) Value(key any) any {
	if _, ok := key.(coroutineKey); ok {
		return c
	}
	return c.stdCtx().Value(key)
}

// Current is the coroutine that ctx belongs to, nil outside. Safe from any
// goroutine; it says nothing about the goroutine that calls.
func Current(ctx context.Context) *Coroutine {
	c := current(ctx)
	if c != nil {
		c.expose()
	}
	return c
}

// current is Current for those who keep nothing of the coroutine.
func current(ctx context.Context) *Coroutine {
	if c, ok := ctx.(*Coroutine); ok {
		return c
	}
	if ctx == nil {
		return nil
	}
	c, _ := ctx.Value(coroutineKey{}).(*Coroutine)
	return c
}

// own returns the coroutine of ctx, where it is the one that is calling and may
// suspend.
func own(ctx context.Context) (*Coroutine, error) {
	c, ok := ctx.(*Coroutine)
	if !ok {
		c = current(ctx)
	}
	if c == nil {
		return nil, ErrNotCoroutine
	}
	if c.gid.Load() != gid.Get() {
		return nil, c.notOwn()
	}
	if c.state != Running {
		return nil, ErrNotCoroutine // a callback on its stack
	}
	return c, nil
}

// notOwn is why the caller may not suspend c: it is a callback of the loop, or
// another coroutine or goroutine.
func (c *Coroutine) notOwn() error {
	if k, ok := c.s.carriers.Get(gid.Get()); ok && !k.runs() {
		return ErrNotCoroutine
	}
	return ErrForeignGoroutine
}

// runs reports whether it is a coroutine's body that runs on the stack, and not a
// callback of the loop. It is called on k's goroutine.
func (k *carrier) runs() bool {
	return k.co != nil && k.co.state == Running && k.co.gid.Load() == k.gid
}

// values is the ctx whose values a coroutine gets that is spawned from c's bare
// ctx: c's own, without an end.
func (c *Coroutine) values() *baseContext {
	if !c.base.ends {
		return c.base
	}
	return newBase(context.WithoutCancel(c.base.Context))
}

// linkEnded reports whether the derived ctx that c was spawned with has ended:
// the loop may not have been told yet. It is not inlined, so that hasEnded, which
// seldom calls it, is.
//
//go:noinline
func (c *Coroutine) linkEnded() bool { return c.base.ends && c.base.Err() != nil }

// end is why ctx, which belongs to c, has ended, as a suspension reports it: a
// [*CancelledError], or an error that matches context.DeadlineExceeded. It is
// nil as long as ctx has not ended.
func (c *Coroutine) endOf(ctx context.Context) error {
	if ctx == context.Context(c) {
		if e := c.cancel.Load(); e != nil {
			return e
		}
		if c.base.Err() != nil {
			return &CancelledError{context.Cause(c.base.Context)}
		}
		return nil
	}
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if err == context.Canceled {
		return asCancelled(cause)
	}
	return asTimeout(err, cause)
}
