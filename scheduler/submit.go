package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// Submit starts fn as a coroutine of s, in the scope of its main coroutine or the
// one given with [In], from any goroutine; its Future may be awaited from any
// goroutine. Before Run it queues. The coroutine has the values of the ctx that
// Run was given. A failure is kept as [Spawn]'s is. Where s has ended, or ends
// before fn could start, the future fails with [ErrFinished]. Submit never
// suspends and never blocks; opts are applied before it returns.
//
//go:noinline
func Submit[T any](s *Scheduler, fn func(context.Context) (T, error), opts ...SpawnOption) *Future[T] {
	if s == nil || fn == nil {
		misuse("Submit with a nil scheduler or function")
	}
	pc := gid.CallerPC()
	f := &Future[T]{}
	c := &Coroutine{s: s, scope: s.scope, spawnPC: pc, body: f.body(fn), future: &f.future}
	for _, opt := range opts {
		opt(c)
	}
	f.init(s, c.scope, pc)
	f.spawned = true
	if s.OnLoop() {
		f.startSubmitted(c)
		return f
	}
	item := inboxItem{run: func() { f.startSubmitted(c) }, refused: f.refuseSubmitted}
	if s.enqueueItem(item) != nil {
		f.refuseSubmitted()
	}
	return f
}

// startSubmitted launches the coroutine of f, on the loop, unless f was cancelled
// meanwhile.
func (f *future) startSubmitted(c *Coroutine) {
	if f.phase.Load() != pending {
		return
	}
	s := f.s
	s.nextID++
	c.id, c.base, c.spawned = s.nextID, s.main.values(), s.tick.stamp
	f.c = c
	c.launch()
}

// refuseSubmitted fails f, whose coroutine cannot start any more. Whoever
// submitted is told by the future alone.
func (f *future) refuseSubmitted() {
	f.seen.Store(true)
	if f.claim(0) == nil {
		f.publish(ErrFinished)
	}
}
