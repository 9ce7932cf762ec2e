package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// Submit starts fn as a coroutine of s, in the scope of its main coroutine, from
// any goroutine; its Future may be awaited from any goroutine. Before Run it
// queues. A failure is kept as [Spawn]'s is. Where s has ended, or ends before fn
// could start, the future fails with [ErrFinished].
//
//go:noinline
func Submit[T any](s *Scheduler, fn func(context.Context) (T, error), opts ...SpawnOption) *Future[T] {
	if s == nil || fn == nil {
		misuse("Submit with a nil scheduler or function")
	}
	pc := gid.CallerPC()
	f := &Future[T]{}
	f.init(s, s.scope, pc)
	f.spawned = true
	refuse := func() {
		f.seen.Store(true) // whoever submitted is told by the future alone
		if f.claim(0) == nil {
			f.publish(ErrFinished)
		}
	}
	start := func() {
		c := s.newCoroutine(s.scope, s.main.values(), pc, f.body(fn))
		err := s.guard(func() {
			for _, opt := range opts {
				opt(c)
			}
		})
		if err != nil {
			_ = f.claim(0) // nobody else settles it before it has a coroutine
			f.publish(err)
			return
		}
		f.scope = c.scope
		f.c, c.future = c, &f.future
		c.launch()
	}
	if err := s.enqueueItem(inboxItem{run: start, refused: refuse}); err != nil {
		refuse()
	}
	return f
}
