package scheduler

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/reactor"
)

// WithTimeout is context.WithTimeout by the scheduler's clock. A suspension under
// the returned ctx that the timeout ends fails with a [*TimeoutError]; the ctx's
// Err is context.DeadlineExceeded. It costs no runtime timer, and where nobody
// asks for its Done channel, no channel.
//
// It is called on the loop, with a ctx of a coroutine, and panics elsewhere; so
// is the returned function, which may be called from any goroutine. Contexts
// derived from it, by whomever, end with it.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return newDeadline(ctx, func(s *Scheduler) (time.Duration, time.Time) { return d, s.Now().Add(d) })
}

// WithDeadline is context.WithDeadline by the scheduler's clock; see
// [WithTimeout].
func WithDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return newDeadline(ctx, func(s *Scheduler) (time.Duration, time.Time) { return t.Sub(s.Now()), t })
}

// deadlineContext is the ctx that they return. It ends once: by its timer, by its
// CancelFunc, or with its parent.
//
// The timer and those of the loop that wait belong to the loop. What package
// context needs, a channel and functions to call at the end, is made when it asks
// and guarded by mu; only from then on is the parent's end listened for.
type deadlineContext struct {
	parent context.Context
	c      *Coroutine
	after  time.Duration
	at     time.Time

	timer *reactor.Timer // the loop's, nil when the ctx has ended
	node  event.Waiter   // in the timer's list
	waits event.List     // the loop's

	over atomic.Pointer[ctxEnd] // by the timer or the CancelFunc, or known to be by the parent

	mu    sync.Mutex
	done  chan struct{}
	fns   map[*afterEnd]struct{}
	undo  func() bool     // of listening for the parent's end
	cause context.Context // what knows the cause, once somebody asks
}

// ctxEnd is how a ctx ended.
type ctxEnd struct{ err, cause error }

// afterEnd is a function to call at the end.
type afterEnd struct{ fn func() }

func newDeadline(ctx context.Context, when func(*Scheduler) (time.Duration, time.Time)) (context.Context, context.CancelFunc) {
	c := Current(ctx)
	if c == nil {
		misuse("WithTimeout with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	s := c.s
	if c.gid.Load() != gid.Get() {
		s.mustLoop("WithTimeout")
	}
	d, at := when(s)
	dc := &deadlineContext{parent: ctx, c: c, after: d, at: at}
	if d <= 0 {
		dc.end(&ctxEnd{context.DeadlineExceeded, &TimeoutError{d}})
		return dc, func() {}
	}
	dc.timer = s.quiet.take(s.reactor, d)
	dc.node.Target = dc
	dc.timer.AddWaiter(&dc.node)
	if err := dc.timer.Start(); err != nil {
		misuse("WithTimeout: %w", err)
	}
	return dc, dc.cancel
}

// Fired implements event.Target: the timer is due.
func (dc *deadlineContext) Fired(*event.Waiter, error) {
	dc.end(&ctxEnd{context.DeadlineExceeded, &TimeoutError{dc.after}})
	dc.release()
	if dc.c.s.virtualTime() {
		dc.c.s.noticeEnds()
	}
}

// cancel is the CancelFunc.
func (dc *deadlineContext) cancel() {
	dc.end(&ctxEnd{context.Canceled, context.Canceled})
	if dc.c.gid.Load() == gid.Get() || dc.c.s.OnLoop() {
		dc.release()
		return
	}
	_ = dc.c.s.enqueue(dc.release) // a loop that has ended has no timers
}

// end ends the ctx for package context. Safe from any goroutine.
func (dc *deadlineContext) end(how *ctxEnd) {
	if !dc.over.CompareAndSwap(nil, how) {
		return
	}
	dc.mu.Lock()
	if dc.done != nil {
		close(dc.done)
	}
	fns, undo := dc.fns, dc.undo
	dc.fns, dc.undo = nil, nil
	dc.mu.Unlock()
	if undo != nil {
		undo()
	}
	for a := range fns {
		a.fn()
	}
}

// release lets go what the loop holds for the ctx, which has ended.
func (dc *deadlineContext) release() {
	if t := dc.timer; t != nil {
		dc.timer = nil
		t.RemoveWaiter(&dc.node)
		t.Stop()
		dc.c.s.quiet.give(t)
	}
	dc.waits.Settle(nil)
}

// whenEnds has fn called on the loop when the ctx has ended, by itself or with
// its parent.
func (dc *deadlineContext) whenEnds(fn func()) (undo func()) {
	undoOwn := dc.waits.Subscribe(func(error) { fn() })
	undoParent := dc.c.s.whenEnds(dc.parent, fn)
	return func() {
		undoOwn()
		undoParent()
	}
}

// Deadline implements context.Context. Safe from any goroutine.
func (dc *deadlineContext) Deadline() (time.Time, bool) {
	at := dc.at
	if sooner, ok := dc.parent.Deadline(); ok && sooner.Before(at) {
		return sooner, true
	}
	return at, true
}

// Err implements context.Context. Safe from any goroutine.
func (dc *deadlineContext) Err() error {
	if how := dc.over.Load(); how != nil {
		return how.err
	}
	return dc.parent.Err()
}

// Done implements context.Context. Safe from any goroutine.
func (dc *deadlineContext) Done() <-chan struct{} {
	dc.mu.Lock()
	defer dc.mu.Unlock()
	if dc.done == nil {
		dc.done = make(chan struct{})
		if dc.over.Load() != nil {
			close(dc.done)
		}
		dc.followParent()
	}
	return dc.done
}

// AfterFunc has fn called when the ctx has ended. Package context looks for it, so
// that a derived ctx needs no goroutine. Safe from any goroutine.
func (dc *deadlineContext) AfterFunc(fn func()) (stop func() bool) {
	a := &afterEnd{fn}
	dc.mu.Lock()
	defer dc.mu.Unlock()
	if dc.over.Load() != nil {
		go fn()
		return func() bool { return false }
	}
	if dc.fns == nil {
		dc.fns = map[*afterEnd]struct{}{}
	}
	dc.fns[a] = struct{}{}
	dc.followParent()
	return func() bool {
		dc.mu.Lock()
		defer dc.mu.Unlock()
		_, there := dc.fns[a]
		delete(dc.fns, a)
		return there
	}
}

// followParent has the ctx end with its parent, for package context; mu is held.
func (dc *deadlineContext) followParent() {
	if dc.undo != nil || dc.over.Load() != nil || dc.parent.Done() == nil {
		return
	}
	dc.undo = context.AfterFunc(dc.parent, func() {
		dc.end(&ctxEnd{dc.parent.Err(), context.Cause(dc.parent)})
		_ = dc.c.s.enqueue(dc.release)
	})
}

// Value implements context.Context. Safe from any goroutine. Once the ctx has
// ended the answer comes from a ctx of package context that has the cause.
func (dc *deadlineContext) Value(key any) any {
	if _, ok := key.(coroutineKey); ok {
		return dc.c
	}
	how := dc.over.Load()
	if how == nil {
		return dc.parent.Value(key)
	}
	dc.mu.Lock()
	if dc.cause == nil {
		ctx, end := context.WithCancelCause(context.WithoutCancel(dc.parent))
		end(how.cause)
		dc.cause = ctx
	}
	ctx := dc.cause
	dc.mu.Unlock()
	return ctx.Value(key)
}

// String names the ctx as package context does its own.
func (dc *deadlineContext) String() string { return "scheduler.WithTimeout(" + dc.after.String() + ")" }

// noticeEnds wakes and cancels those whose derived ctx has ended, on the loop,
// without waiting for the goroutines by which package context tells of it: on
// virtual time the clock would have moved on by then.
func (s *Scheduler) noticeEnds() {
	for _, c := range s.scope.everyone() {
		if k := c.carrier; k != nil && k.waitCtx != nil && k.waitCtx.Err() != nil {
			c.ctxEnded(k.waitCtx)
		}
		if c.linked && c.base.Err() != nil {
			c.cancelNow(context.Cause(c.base))
		}
	}
}

// virtualTime reports whether the clock is one that the loop moves.
func (s *Scheduler) virtualTime() bool {
	_, ok := s.cfg.clock.(interface{ AdvanceTo(time.Time) })
	return ok
}
