package taskgroup

import (
	"context"
	"fmt"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/scheduler"
)

// order is what a Spawn asks for.
type order[T any] struct {
	task   func(context.Context) (T, error)
	origin *scheduler.Origin
}

// Spawn adds a task under the next number. It suspends only under [QueueLimit].
// When it returns nil the task will run, or is reported as cancelled.
//
// The task's ctx has the values of ctx and ends with the group: the end of ctx
// itself concerns the Spawn alone. Where that has ended, Spawn fails at once, as
// whatever takes such a ctx does. The other errors match [ErrSealed], also where
// that comes while Spawn waits, scheduler.ErrScopeClosed, where somebody closed the
// group's scope, scheduler.ErrNotCoroutine, where ctx belongs to no coroutine, and
// scheduler.ErrForeignGoroutine, off the loop and where ctx is of another scheduler.
// The ctx of another coroutine of the loop will do as long as Spawn need not wait:
// where it must, that fails with ErrForeignGoroutine too, and in a callback of the
// loop with ErrNotCoroutine. A Spawn that fails uses up no number.
//
// It panics where the tasks of the group have keys, not numbers, and where task
// is nil.
//
//go:noinline
func (g *Group[K, T]) Spawn(ctx context.Context, task func(context.Context) (T, error)) error {
	if g.keys.number == nil {
		misuse("Spawn into a group whose tasks have keys; use SpawnWithKey")
	}
	var none K
	return g.spawn(ctx, gid.CallerPC(), task, none, false)
}

// SpawnWithKey adds a task under key. Otherwise it is [Group.Spawn]. A key that is
// taken, be it while it waits, is refused with an error that matches
// [ErrDuplicateKey].
//
//go:noinline
func (g *Group[K, T]) SpawnWithKey(ctx context.Context, key K, task func(context.Context) (T, error)) error {
	return g.spawn(ctx, gid.CallerPC(), task, key, true)
}

func (g *Group[K, T]) spawn(ctx context.Context, pc uintptr, task func(context.Context) (T, error), key K, named bool) error {
	if task == nil {
		misuse("a spawn of a nil task")
	}
	origin, err := g.origins.of(g.scope, ctx, g.until, pc)
	if err != nil {
		return fmt.Errorf("taskgroup: spawn: %w", err)
	}
	g.heedUntil()
	if err := g.refuses(ctx); err != nil {
		return err
	}
	if named && g.keys.has(key) {
		return &duplicateError[K]{key}
	}
	o := order[T]{task, origin}
	if g.full() {
		return g.await(&producer[K, T]{order: o, key: key, named: named, ctx: ctx})
	}
	g.enqueue(o, key, named)
	g.pump()
	return nil
}

// refuses is why the group takes no task spawned with ctx, nil where it does.
func (g *Group[K, T]) refuses(ctx context.Context) error {
	var ended error
	if ctx.Err() != nil {
		_, ended = scheduler.Suspend(ctx) // fails at once, and says why
	}
	switch {
	case g.sealed && ended != nil:
		return fmt.Errorf("%w: %w", ErrSealed, ended)
	case g.sealed:
		return ErrSealed
	case ended != nil:
		return ended
	case g.scope.Closed():
		return fmt.Errorf("taskgroup: spawn: %w", scheduler.ErrScopeClosed)
	}
	return nil
}

// duplicateError is ErrDuplicateKey for one key.
type duplicateError[K comparable] struct{ key K }

func (e *duplicateError[K]) Error() string { return fmt.Sprintf("%v: %v", ErrDuplicateKey, e.key) }
func (e *duplicateError[K]) Unwrap() error { return ErrDuplicateKey }

// enqueue puts a task at the end of the queue; key, where named, is free and was
// looked for with keys.has.
func (g *Group[K, T]) enqueue(o order[T], key K, named bool) {
	if named {
		g.keys.add(key)
	} else {
		g.keys.addNumber()
	}
	if !g.cfg.discard {
		if g.outcomes.cells.n == maxTasks {
			misuse("a group that keeps results cannot have more than %d tasks", maxTasks)
		}
		g.outcomes.cells.push(cell[T]{})
	}
	g.origins.push(g.keys.n-1, o.origin)
	g.queue.push(o.task)
}
