package scheduler

import "github.com/trueasync/trueasync-go/internal/gid"

// NewDetached is [NewFuture] for a result whose errors somebody else answers for:
// one that nobody looks at is not reported; see [Future.Delivered]. What is
// derived from it runs in sc. It is called on the loop and never suspends.
//
//go:noinline
func NewDetached[T any](sc *Scope) (*Future[T], *Resolver[T]) {
	f := &Future[T]{}
	f.init(sc.s, sc, gid.CallerPC())
	f.seen.Store(true)
	return f, &Resolver[T]{f}
}

// Delivered reports whether the future has failed and somebody was given the
// error: by Await, by a subscription, or through a future derived from it. A
// future that is ignored, or passed over by [AwaitAny] and its like, is not
// delivered. Safe from any goroutine.
func (f *future) Delivered() bool {
	return (f.delivered.Load() || f.told.Load() > 0) && f.phase.Load() == settled && f.err != nil
}

// look notes that somebody was, or will be, given the error.
func (f *future) look() {
	f.seen.Store(true)
	f.delivered.Store(true)
}
