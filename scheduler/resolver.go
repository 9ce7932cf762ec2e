package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// Resolver completes its Future, once. Safe from any goroutine.
type Resolver[T any] struct{ f *Future[T] }

// NewFuture returns a pending future, whose home is the loop of ctx's coroutine.
// It does not keep the loop alive: waiting for one that nobody completes is a
// deadlock. An error that nobody has looked at when the current scope ends is
// returned by Run. It panics where ctx belongs to no coroutine. Safe from any
// goroutine.
//
//go:noinline
func NewFuture[T any](ctx context.Context) (*Future[T], *Resolver[T]) {
	return newFuture[T](ctx, gid.CallerPC())
}

// NewExternal is NewFuture for one that another goroutine will complete: until
// then it counts as work, so that waiting for it is no deadlock.
//
//go:noinline
func NewExternal[T any](ctx context.Context) (*Future[T], *Resolver[T]) {
	f, r := newFuture[T](ctx, gid.CallerPC())
	f.external = true
	return f, r
}

func newFuture[T any](ctx context.Context, pc uintptr) (*Future[T], *Resolver[T]) {
	c := current(ctx)
	if c == nil {
		misuse("a future with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	pair := &struct { // one allocation for both
		f Future[T]
		r Resolver[T]
	}{}
	f := &pair.f
	pair.r.f = f
	f.init(c.s, c.scope, pc)
	return f, &pair.r
}

// Completed returns a future that is settled with v.
func Completed[T any](v T) *Future[T] {
	f := &Future[T]{v: v}
	f.phase.Store(settled)
	return f
}

// Failed returns a future that is settled with err, which must not be nil.
// Nobody reports it if nobody looks at it.
func Failed[T any](err error) *Future[T] {
	if err == nil {
		misuse("Failed(nil)")
	}
	f := &Future[T]{}
	f.err = err
	f.phase.Store(settled)
	return f
}

// Complete settles the future with v. A second settling fails with
// [ErrCompleted], which names the place of the first.
//
//go:noinline
func (r *Resolver[T]) Complete(v T) error { return r.f.resolve(v, nil, gid.CallerPC()) }

// Fail settles the future with err, which must not be nil.
//
//go:noinline
func (r *Resolver[T]) Fail(err error) error {
	if err == nil {
		misuse("Fail(nil)")
	}
	var none T
	return r.f.resolve(none, err, gid.CallerPC())
}

// Future is the future that the resolver settles.
func (r *Resolver[T]) Future() *Future[T] { return r.f }

func (f *Future[T]) resolve(v T, err error, pc uintptr) error {
	if err := f.claim(pc); err != nil {
		return err
	}
	if err == nil {
		f.v = v
	}
	f.publish(err)
	return nil
}

// Cancel settles the future as cancelled, with that cause; the future of a
// coroutine cancels the coroutine instead, and settles when that has ended. On a
// settled future it does nothing. Safe from any goroutine.
func (f *Future[T]) Cancel(cause error) {
	if f.spawned {
		f.cancelCoroutine(cause)
		return
	}
	var none T
	_ = f.resolve(none, asCancelled(cause), 0) // settled: nothing to cancel
	if f.alsoCancel != nil {
		f.alsoCancel(cause)
	}
}

func (f *future) cancelCoroutine(cause error) {
	if f.phase.Load() == settled {
		return
	}
	if !f.s.OnLoop() {
		_ = f.s.enqueue(func() { f.cancelCoroutine(cause) }) // a loop that has ended has nothing to cancel
		return
	}
	if f.c != nil {
		f.c.cancelNow(cause)
	} else if f.claim(0) == nil { // submitted, and still on its way to the loop
		f.publish(asCancelled(cause))
	}
}

// Ignore has nobody told of the future's error. It returns f.
func (f *Future[T]) Ignore() *Future[T] {
	f.seen.Store(true)
	return f
}
