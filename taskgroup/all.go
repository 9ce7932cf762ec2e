package taskgroup

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/scheduler"
)

// WaitOption adjusts a wait strategy.
type WaitOption func(*waitConfig)

type waitConfig struct {
	ignoreErrors bool
	cancelRest   bool
}

// IgnoreErrors has [Group.All] give the successes and not fail for errors, which
// stay unhandled. A cancellation is no error, and fails it all the same.
func IgnoreErrors() WaitOption { return func(c *waitConfig) { c.ignoreErrors = true } }

// CancelRest has [Group.Race] and [Group.Any] cancel the group once they have
// settled with a winner.
func CancelRest() WaitOption { return func(c *waitConfig) { c.cancelRest = true } }

func waitConfigOf(opts []WaitOption) (c waitConfig) {
	for _, opt := range opts {
		opt(&c)
	}
	return c
}

// allWait is an All that has not settled. It concerns the first n tasks.
type allWait[K comparable, T any] struct {
	waitConfig
	f         *scheduler.Future[*Results[K, T]]
	r         *scheduler.Resolver[*Results[K, T]]
	n, left   int
	cancelled int // of the n
}

// All settles when the tasks that are in the group now have all settled; it fails
// with a *scheduler.CompositeError of [*TaskError], in the order of the spawns,
// where one failed, and with a *scheduler.CancelledError where nothing but
// cancellations of the group went wrong. The results of those that succeeded come
// with the error. It may be called again, and on a settled or empty group it is
// settled at once.
//
//go:noinline
func (g *Group[K, T]) All(opts ...WaitOption) *scheduler.Future[*Results[K, T]] {
	g.mustLoop("All")
	w := &allWait[K, T]{waitConfig: waitConfigOf(opts), n: g.keys.n, left: g.unsettled(), cancelled: g.outcomes.cancelled}
	w.f, w.r = scheduler.NewDetached[*Results[K, T]](g.parent, gid.CallerPC())
	if w.left == 0 {
		g.settleAll(w)
		return w.f
	}
	g.alls = pruned(g.alls)
	g.alls = append(g.alls, w)
	return w.f
}

func (w *allWait[K, T]) done() bool { return w.f.Done() }

// pruned drops waits that were cancelled from a list that is about to grow.
func pruned[W interface{ done() bool }](waits []W) []W {
	if len(waits) < cap(waits) {
		return waits
	}
	kept := waits[:0]
	for _, w := range waits {
		if !w.done() {
			kept = append(kept, w)
		}
	}
	clear(waits[len(kept):])
	return kept
}

// settled notes that task i has settled.
func (w *allWait[K, T]) settled(i int, cancelled bool) {
	if i < w.n {
		w.left--
		if cancelled {
			w.cancelled++
		}
	}
}

// flushAlls settles those that have nothing left to wait for.
func (g *Group[K, T]) flushAlls() {
	for i := 0; i < len(g.alls); i++ {
		if w := g.alls[i]; w.left == 0 {
			g.alls = append(g.alls[:i], g.alls[i+1:]...)
			g.settleAll(w)
			i = -1 // whoever was told may have changed the list
		}
	}
}

func (g *Group[K, T]) settleAll(w *allWait[K, T]) {
	var failed []*failure[K]
	if !w.ignoreErrors {
		failed = g.failures.of(w.n)
	}
	var err error
	switch {
	case len(failed) > 0:
		g.failures.deliver(w.f, failed...)
		err = composite(failed)
	case w.cancelled > 0:
		err = g.scope.Cancellation()
	}
	_ = w.r.Settle(g.results(w.n), err) // cancelled meanwhile: nobody wants it
}

// AwaitCompletion waits until every task has settled and all else in the group's
// scope has ended. The group must be sealed: otherwise it fails with
// [ErrNotSealed]. Task errors are not its concern. Its other errors are those of
// the end of ctx, and it is an error to wait from inside of the group.
func (g *Group[K, T]) AwaitCompletion(ctx context.Context) error {
	if !g.sealed {
		return ErrNotSealed
	}
	return g.scope.AwaitCompletion(ctx)
}
