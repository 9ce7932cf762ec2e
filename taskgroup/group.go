package taskgroup

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Group is a set of tasks that share a Scope. K names tasks, T is their result.
// Its methods belong to the loop: a coroutine calls them, any coroutine of the
// scheduler. Elsewhere they panic, those that take a ctx and return an error fail;
// Count, IsFinished, IsSealed and Scope, which only look, are not checked and must
// not be called elsewhere. Those that may suspend take a ctx; the others never
// suspend.
type Group[K comparable, T any] struct {
	s      *scheduler.Scheduler
	cfg    config
	scope  *scheduler.Scope // its own
	parent *scheduler.Scope
	until  context.Context // whose end is the group's, nil for none
	undo   func()          // ends the watch over it

	// A task is in the queue, running, or settled, in that order; it has a coroutine
	// exactly while it runs. While the queue is not empty as many run as may, or the
	// group is about to start one, or it is stopped and empties it.
	keys      keys[K]
	origins   origins
	queue     fifo[func(context.Context) (T, error)]
	head      int // index of the task at the head of the queue
	producers producers[K, T]
	idle      []*worker[K, T]
	running   int

	sealed  bool
	stopped bool // cancelled: no task starts any more

	outcomes  outcomes[K, T]
	failures  failures[K]
	alls      []*allWait[K, T]
	firsts    []*firstWait[K, T]
	news      signal // fires when a task has settled, or the group is sealed
	stream    stream[K, T]
	finalizer finalizer[K, T]
}

// New returns a group whose tasks are numbered 0, 1, 2… as they are spawned. It
// panics, naming the rule, where ctx belongs to no coroutine or an option is out
// of range, and off the loop.
//
// Where ctx is a derived one, its end cancels the group: that is how a group gets
// a timeout.
//
//go:noinline
func New[T any](ctx context.Context, opts ...Option) *Group[int, T] {
	return newGroup[int, T](ctx, gid.CallerPC(), opts)
}

// NewKeyed returns a group whose tasks are named by the caller. Otherwise it is
// [New].
//
//go:noinline
func NewKeyed[K comparable, T any](ctx context.Context, opts ...Option) *Group[K, T] {
	return newGroup[K, T](ctx, gid.CallerPC(), opts)
}

func newGroup[K comparable, T any](ctx context.Context, pc uintptr, opts []Option) *Group[K, T] {
	c := scheduler.Current(ctx)
	if c == nil {
		misuse("a group with a ctx that belongs to no coroutine: %w", scheduler.ErrNotCoroutine)
	}
	g := &Group[K, T]{s: c.Scheduler(), cfg: configOf(opts)}
	g.mustLoop("New")
	if g.parent = g.cfg.parent; g.parent == nil {
		g.parent = c.Scope()
	}
	if g.parent.Scheduler() != g.s {
		misuse("InScope: the scope belongs to another scheduler")
	}
	g.scope = g.parent.NewChild(scheduler.ScopeName(g.cfg.name), scheduler.Lasting())
	g.keys = newKeys[K](g.cfg.discard)
	g.finalizer.g, g.finalizer.ctx, g.finalizer.pc = g, ctx, pc
	g.news.label = "the next task of a group"
	g.scope.Finally(func(*scheduler.Scope) { g.scopeEnded() })
	g.scope.OnStop(func(error) { g.stop() })
	if _, bare := ctx.(*scheduler.Coroutine); !bare && ctx.Done() != nil {
		g.until = ctx
		g.undo = scheduler.AfterEnd(ctx, g.heedUntil)
	}
	return g
}

// heedUntil cancels the group where the ctx that it was made with has ended.
func (g *Group[K, T]) heedUntil() {
	if g.until != nil && !g.stopped && g.until.Err() != nil {
		g.scope.Cancel(context.Cause(g.until))
	}
}

// unwatch ends the watch over the ctx that the group was made with.
func (g *Group[K, T]) unwatch() {
	if g.undo != nil {
		g.undo()
		g.undo = nil
	}
}

// mustLoop panics where the caller is not on the loop.
func (g *Group[K, T]) mustLoop(what string) {
	if !g.s.OnLoop() {
		misuse("%s off the loop of the group: %w", what, scheduler.ErrForeignGoroutine)
	}
}

// IsFinished reports whether no task is queued or running. It is true for a new
// group.
func (g *Group[K, T]) IsFinished() bool { return g.unsettled() == 0 }

// IsSealed reports whether the group takes no more tasks.
func (g *Group[K, T]) IsSealed() bool { return g.sealed }

// Count is the number of tasks: queued, running and settled. It never shrinks.
// With [Discard] it is the number of those not settled.
func (g *Group[K, T]) Count() int {
	if g.cfg.discard {
		return g.unsettled()
	}
	return g.keys.n
}

// unsettled is the number of tasks that are queued or running.
func (g *Group[K, T]) unsettled() int { return g.queue.Len() + g.running }

// isOver reports whether all has settled, and no more will come.
func (g *Group[K, T]) isOver() bool { return g.sealed && g.unsettled() == 0 }

// Scope is the group's own scope, a child of the current one or of InScope's. It
// owns the tasks and what they spawn. Cancelling it cancels the group. It ends
// when the group is disposed or its parent ends, not with the last task.
func (g *Group[K, T]) Scope() *scheduler.Scope { return g.scope }
