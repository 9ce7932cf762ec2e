package taskgroup

import (
	"context"
	"errors"
	"iter"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Result is one task's outcome.
type Result[T any] struct {
	Value T
	Err   error // the task's own, or a *scheduler.CancelledError
}

// Each yields each task as it settles, in the order in which they do, those that
// were cancelled with the group included, and each once: all loops over a group,
// one after another or at the same time, share one cursor. It ends when the group
// is sealed and all have been yielded, or when ctx ends; breaking off leaves the
// rest for later. With [Discard] it yields what settles while it runs.
//
// It suspends between two tasks where none has settled, and panics where ctx is
// not that of the coroutine that loops.
func (g *Group[K, T]) Each(ctx context.Context) iter.Seq2[K, Result[T]] {
	return func(yield func(K, Result[T]) bool) {
		g.mustLoop("Each")
		g.stream.loops++
		defer g.endLoop()
		for ctx.Err() == nil {
			key, r, ok := g.nextResult()
			switch {
			case ok:
				if !yield(key, r) {
					return
				}
			case g.isOver():
				return
			default:
				_, err := scheduler.Suspend(ctx, &g.news)
				if errors.Is(err, scheduler.ErrNotCoroutine) || errors.Is(err, scheduler.ErrForeignGoroutine) {
					misuse("Each with a ctx that is not the caller's: %w", err)
				}
				if err != nil {
					return
				}
			}
		}
	}
}

// nextResult takes the oldest outcome that has not been yielded.
func (g *Group[K, T]) nextResult() (key K, r Result[T], ok bool) {
	o, ok := g.nextOutcome()
	switch {
	case !ok:
		return key, r, false
	case o.f != nil:
		o.f.seen = true
		r.Err = o.f.Err
	case o.cancelled:
		r.Err = g.scope.Cancellation()
	default:
		r.Value = o.v
	}
	return o.key, r, true
}

func (g *Group[K, T]) nextOutcome() (o outcome[K, T], ok bool) {
	if g.cfg.discard {
		return g.stream.items.PopFront()
	}
	i, c, ok := g.outcomes.pop()
	if !ok {
		return o, false
	}
	o.key, o.v, o.cancelled = g.keys.of(i), c.v, c.state == cancelled
	if c.state >= asFailure {
		o.f = g.failures.all[c.state-asFailure]
	}
	return o, true
}
