package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// SpawnOption configures one spawn.
type SpawnOption func(*Coroutine)

// Named gives the coroutine a name, for dumps and logs.
func Named(name string) SpawnOption {
	return func(c *Coroutine) { c.extra().name = name }
}

// HighPriority has the coroutine queued at the head of the run queue, at its
// spawn and whenever it becomes ready. A budget keeps a few such coroutines that
// wake each other from starving the rest.
func HighPriority() SpawnOption {
	return func(c *Coroutine) { c.high = true }
}

// In spawns into sc in place of the current scope.
func In(sc *Scope) SpawnOption {
	if sc == nil {
		misuse("In(nil)")
	}
	return func(c *Coroutine) {
		if sc.s != c.s {
			misuse("In: the scope belongs to another scheduler")
		}
		c.scope = sc
	}
}

// Go queues fn as a coroutine of the current scope. A failure that nobody is
// waiting for when it happens goes to the scope's error handler, or, where
// there is none, shuts the scheduler down and is returned by Run.
//
// The coroutine has the values of ctx. From the bare ctx of a coroutine that is
// all: it outlives its parent and ends with the scope. From a ctx derived from
// one it is cancelled by that ctx's end as well.
//
// Go panics where ctx belongs to no coroutine and where it is called from
// another goroutine than the loop's; see [Submit]. It never suspends.
//
//go:noinline
func Go(ctx context.Context, fn func(context.Context) error, opts ...SpawnOption) *Coroutine {
	return goFrom(ctx, gid.CallerPC(), fn, opts)
}

// goFrom is Go, called from pc.
func goFrom(ctx context.Context, pc uintptr, fn func(context.Context) error, opts []SpawnOption) *Coroutine {
	if fn == nil {
		misuse("Go(nil)")
	}
	c := newCoroutine(ctx, pc, fn)
	for _, opt := range opts {
		opt(c)
	}
	c.launch()
	return c
}

// Spawn is Go for a body with a result. Its failure is kept for a later Await;
// one that nobody has looked at when the scope ends is returned by Run.
//
//go:noinline
func Spawn[T any](ctx context.Context, fn func(context.Context) (T, error), opts ...SpawnOption) *Future[T] {
	if fn == nil {
		misuse("Spawn(nil)")
	}
	pc := gid.CallerPC()
	f := &Future[T]{}
	c := newCoroutine(ctx, pc, f.body(fn))
	for _, opt := range opts {
		opt(c)
	}
	f.init(c.s, c.scope, pc)
	f.spawned = true
	f.c, c.future = c, &f.future
	c.launch()
	return f
}

// body is the body of a coroutine that makes f's value.
func (f *Future[T]) body(fn func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		v, err := fn(ctx)
		if err == nil {
			f.v = v
		}
		return err
	}
}

// newCoroutine returns a coroutine that is spawned with ctx, not yet launched.
func newCoroutine(ctx context.Context, pc uintptr, body func(context.Context) error) *Coroutine {
	parent, bare := ctx.(*Coroutine)
	if !bare {
		if parent = current(ctx); parent == nil {
			misuse("a spawn with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
		}
	}
	s := parent.s
	if parent.gid.Load() != gid.Get() && !s.OnLoop() && s.phase.Load() != ended {
		misuse("a spawn from a goroutine that is not the loop's; use Submit: %w", ErrForeignGoroutine)
	}
	if bare {
		return s.newCoroutine(parent.scope, parent.values(), pc, body)
	}
	return s.newCoroutine(parent.scope, newBase(ctx), pc, body)
}

func (s *Scheduler) newCoroutine(scope *Scope, base *baseContext, pc uintptr, body func(context.Context) error) *Coroutine {
	s.nextID++
	return &Coroutine{s: s, id: s.nextID, scope: scope, base: base, spawnPC: pc, spawned: s.tick.stamp, body: body}
}

// launch queues c, or ends it at once where its scope takes no more.
func (c *Coroutine) launch() {
	s := c.s
	s.live++
	s.stats.spawned++
	if c.scope.refuses() != nil {
		c.refuseLaunch()
		return
	}
	c.scope.add(c)
	s.enqueueReady(c)
	if c.base.ends && c.runner == nil {
		c.linked = true
		c.link()
	}
}

// refuses is why the scope takes no coroutine, nil where it does.
func (sc *Scope) refuses() error {
	switch {
	case sc.s.phase.Load() == ended:
		return ErrFinished
	case sc.closed:
		return ErrScopeClosed
	}
	return nil
}

// refuseLaunch fails c without having run it.
func (c *Coroutine) refuseLaunch() {
	err := c.scope.refuses()
	if c.future == nil && c.runner == nil && !c.scope.cancelled && c.s.phase.Load() != ended {
		c.extra().refused = &spawnFailure{c: c, err: err}
		c.s.scope.keep(c.x.refused)
	}
	if c.future != nil && c.scope.cancelled {
		c.future.seen.Store(true)
	}
	c.finish(err, failed)
}

// link has c cancelled when the derived ctx that it was spawned with ends.
func (c *Coroutine) link() {
	s := c.s
	c.extra().unlink = s.whenEnds(c.base.Context, func() { c.cancelNow(context.Cause(c.base.Context)) })
}
