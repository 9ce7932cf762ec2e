package taskgroup

import (
	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/scheduler"
)

// firstWait is a Race, or an Any, that has not settled.
type firstWait[K comparable, T any] struct {
	waitConfig
	any    bool
	f      *scheduler.Future[T]
	r      *scheduler.Resolver[T]
	failed []*failure[K] // since it was asked, where the group discards
}

// Race settles as the first task does, which may have been long ago: it gives the
// same answer whenever it is asked, and counts tasks that are added later. It fails
// with the [*TaskError] of that task, with a *scheduler.CancelledError where that
// was cancelled with the group, and with [ErrNoTasks] where the group is empty.
// The others run on, unless [CancelRest] says otherwise.
//
//go:noinline
func (g *Group[K, T]) Race(opts ...WaitOption) *scheduler.Future[T] {
	return g.firstOf(false, gid.CallerPC(), opts)
}

// Any settles with the first success; it fails, with all errors in a
// *scheduler.CompositeError, when every task has failed, with a
// *scheduler.CancelledError where the group was cancelled before one could, and
// with [ErrNoTasks] where the group is empty. Otherwise it is [Group.Race].
//
//go:noinline
func (g *Group[K, T]) Any(opts ...WaitOption) *scheduler.Future[T] {
	return g.firstOf(true, gid.CallerPC(), opts)
}

func (g *Group[K, T]) firstOf(success bool, pc uintptr, opts []WaitOption) *scheduler.Future[T] {
	g.mustLoop("Race or Any")
	w := &firstWait[K, T]{waitConfig: waitConfigOf(opts), any: success}
	w.f, w.r = scheduler.NewDetached[T](g.parent, pc)
	if g.outcomes.first == nil && g.unsettled() == 0 {
		_ = w.r.Fail(ErrNoTasks) // nobody else settles it
		return w.f
	}
	if first := g.outcomes.first; g.cfg.discard && first != nil && first.f != nil {
		w.failed = append(w.failed, first.f)
	}
	if g.decided(w) {
		g.settleFirst(w)
		return w.f
	}
	g.firsts = pruned(g.firsts)
	g.firsts = append(g.firsts, w)
	return w.f
}

func (w *firstWait[K, T]) done() bool { return w.f.Done() }

// decided reports whether the answer is there.
func (g *Group[K, T]) decided(w *firstWait[K, T]) bool {
	if w.any {
		return g.outcomes.success != nil || g.unsettled() == 0
	}
	return g.outcomes.first != nil
}

// flushFirsts settles those whose answer is there.
func (g *Group[K, T]) flushFirsts() {
	for i := 0; i < len(g.firsts); i++ {
		if w := g.firsts[i]; g.decided(w) {
			g.firsts = append(g.firsts[:i], g.firsts[i+1:]...)
			g.settleFirst(w)
			i = -1 // whoever was told may have changed the list
		}
	}
}

func (g *Group[K, T]) settleFirst(w *firstWait[K, T]) {
	winner := g.outcomes.first
	if w.any {
		winner = g.outcomes.success
	}
	var err error
	switch {
	case winner == nil:
		err = g.allFailed(w)
	case winner.f != nil:
		g.failures.deliver(w.f, winner.f)
		err = w.r.Fail(&winner.f.TaskError)
	case winner.cancelled:
		err = w.r.Fail(g.scope.Cancellation())
	default:
		err = w.r.Complete(winner.v)
	}
	if err == nil && w.cancelRest && winner != nil {
		g.scope.Cancel(errOutrun)
	}
}

// allFailed settles an Any for which no success is left.
func (g *Group[K, T]) allFailed(w *firstWait[K, T]) error {
	failed := w.failed
	if !g.cfg.discard {
		failed = g.failures.of(g.keys.n)
	}
	if len(failed) == 0 {
		return w.r.Fail(g.scope.Cancellation())
	}
	g.failures.deliver(w.f, failed...)
	return w.r.Fail(composite(failed))
}
