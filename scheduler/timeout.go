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
// It panics where ctx belongs to no coroutine. It may be called from any
// goroutine, and so may the returned function. Contexts derived from it, by
// whomever, end with it; it ends when its scheduler does, at the latest.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return newDeadline(ctx, func(now time.Time) (time.Duration, time.Time) { return d, now.Add(d) })
}

// WithDeadline is context.WithDeadline by the scheduler's clock; see
// [WithTimeout].
func WithDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return newDeadline(ctx, func(now time.Time) (time.Duration, time.Time) { return t.Sub(now), t })
}

// deadlineContext is the ctx that they return. It ends once: by its timer, by its
// CancelFunc, or with its parent. Who notices its parent's end first, be it by
// asking, ends it.
//
// The timer and those of the loop that wait belong to the loop. What package
// context needs, a channel and functions to call at the end, is made when it asks
// and guarded by mu; only from then on is the parent's end listened for.
type deadlineContext struct {
	parent context.Context
	c      *Coroutine
	after  time.Duration
	at     time.Time

	timer *reactor.Timer // the loop's, nil before it is armed and when the ctx has ended
	node  event.Waiter   // in the timer's list
	waits event.Once     // the loop's

	over atomic.Pointer[ctxEnd] // nil before the end, or as long as nobody has noticed

	mu    sync.Mutex
	done  chan struct{}
	fns   map[*afterEnd]struct{}
	told  chan struct{}   // closed when fns have been called, after the end
	undo  func() bool     // of listening for the parent's end
	cause context.Context // what knows the cause, once somebody asks
}

// ctxEnd is how a ctx ended.
type ctxEnd struct{ err, cause error }

var (
	cancelCalled = &ctxEnd{context.Canceled, context.Canceled}
	loopEnded    = &ctxEnd{context.Canceled, ErrFinished}
)

// afterEnd is a function to call at the end.
type afterEnd struct{ fn func() }

type deadlineKey struct{}

func newDeadline(ctx context.Context, when func(now time.Time) (time.Duration, time.Time)) (context.Context, context.CancelFunc) {
	c := current(ctx)
	if c == nil {
		misuse("WithTimeout with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	s := c.s
	now := s.Now()
	d, at := when(now)
	dc := &deadlineContext{parent: ctx, c: c, after: d, at: at}
	switch {
	case d <= 0:
		dc.end(&ctxEnd{context.DeadlineExceeded, &TimeoutError{d}})
	case c.gid.Load() == gid.Get() || s.OnLoop():
		dc.arm(now)
	case s.enqueue(func() { dc.arm(s.Now()) }) != nil:
		dc.end(loopEnded)
	}
	return dc, dc.cancel
}

// arm starts the timer, on the loop, where it is now.
func (dc *deadlineContext) arm(now time.Time) {
	if dc.over.Load() != nil {
		return
	}
	s := dc.c.s
	dc.timer = s.quiet.take(s.reactor, dc.at.Sub(now))
	dc.node.Target = dc
	dc.timer.AddWaiter(&dc.node)
	if dc.timer.StartAt(now) != nil { // the reactor is closed
		dc.end(loopEnded)
		dc.release()
	}
}

// Fired implements event.Target: the timer is due, or, with an error, the reactor
// closes.
func (dc *deadlineContext) Fired(_ *event.Waiter, err error) {
	if err != nil {
		dc.end(loopEnded)
	} else {
		dc.end(&ctxEnd{context.DeadlineExceeded, &TimeoutError{dc.after}})
	}
	dc.release()
}

// cancel is the CancelFunc.
func (dc *deadlineContext) cancel() {
	dc.end(cancelCalled)
	if dc.c.gid.Load() == gid.Get() || dc.c.s.OnLoop() {
		dc.release()
		return
	}
	_ = dc.c.s.enqueue(dc.release) // a loop that has ended has no timers
}

// end ends the ctx, unless it has ended, be it unnoticed with its parent. Safe from
// any goroutine.
func (dc *deadlineContext) end(e *ctxEnd) {
	if above := dc.parent.Err(); above != nil {
		e = &ctxEnd{above, context.Cause(dc.parent)}
	}
	dc.mu.Lock()
	if !dc.over.CompareAndSwap(nil, e) {
		dc.mu.Unlock()
		return
	}
	if dc.done != nil {
		close(dc.done)
	}
	fns, undo := dc.fns, dc.undo
	dc.fns, dc.undo = nil, nil
	if len(fns) > 0 {
		told := make(chan struct{})
		dc.told = told
		defer close(told)
	}
	dc.mu.Unlock()
	if undo != nil {
		undo()
	}
	for a := range fns {
		a.fn()
	}
}

// noticeEnd has those timeouts that ctx is below end that have done so unnoticed,
// with the parents they have. When it returns what is derived from them has ended as
// well, also where another goroutine has noticed and is about to tell that.
func noticeEnd(ctx context.Context) {
	dc, ok := ctx.Value(deadlineKey{}).(*deadlineContext)
	if !ok {
		return
	}
	if dc.over.Load() == nil {
		noticeEnd(dc.parent)
		if dc.Err() == nil {
			return
		}
	}
	dc.mu.Lock()
	told := dc.told
	dc.mu.Unlock()
	if told != nil {
		<-told
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
	if dc.over.Load() == nil {
		err := dc.parent.Err()
		if err == nil {
			return nil
		}
		dc.end(&ctxEnd{err: err})
	}
	return dc.over.Load().err
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
		_ = dc.Err()
		_ = dc.c.s.enqueue(dc.release) // a loop that has ended has no timers
	})
}

// Value implements context.Context. Safe from any goroutine. Once the ctx has
// ended the answer comes from a ctx of package context that has the cause.
func (dc *deadlineContext) Value(key any) any {
	switch key.(type) {
	case coroutineKey:
		return dc.c
	case deadlineKey:
		return dc
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

// virtualTime reports whether the clock is one that the loop moves.
func (s *Scheduler) virtualTime() bool {
	_, ok := s.cfg.clock.(interface{ AdvanceTo(time.Time) })
	return ok
}
