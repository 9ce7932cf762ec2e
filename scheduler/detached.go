package scheduler

import "github.com/trueasync/trueasync-go/internal/gid"

// NewDetached is [NewFuture] for a result whose errors somebody else answers for:
// one that nobody looks at is not reported; see [Future.Delivered]. It is said to
// be made at pc; what is derived from it runs in sc. It never suspends.
func NewDetached[T any](sc *Scope, pc uintptr) (*Future[T], *Resolver[T]) {
	f := &Future[T]{}
	f.init(sc.s, sc, pc)
	f.seen.Store(true)
	return f, &Resolver[T]{f}
}

// Settle settles the future with v and with err, which may be nil: a failure may
// come with what there is of the result. A second settling fails with
// [ErrCompleted], which names the place of the first.
//
//go:noinline
func (r *Resolver[T]) Settle(v T, err error) error {
	if err := r.f.claim(gid.CallerPC()); err != nil {
		return err
	}
	r.f.v = v
	r.f.publish(err)
	return nil
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
