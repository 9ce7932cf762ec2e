package taskgroup

import (
	"context"

	"github.com/trueasync/trueasync-go/scheduler"
)

// worker is a slot: it runs task after task, each as a coroutine of its own, and
// while it has one it is in nobody's list. It is a scheduler.Job.
type worker[K comparable, T any] struct {
	g      *Group[K, T]
	runner scheduler.Runner
	i      int // the task's index
	key    K   // its key, where the group does not keep those
	task   func(context.Context) (T, error)
	v      T
}

// maxIdle bounds the workers that are kept for later.
const maxIdle = 64

// pump starts tasks from the queue while there are slots.
func (g *Group[K, T]) pump() {
	for g.mayStart() {
		g.startNext(g.takeWorker())
	}
}

// mayStart reports whether there is a task to start, and a slot.
func (g *Group[K, T]) mayStart() bool {
	if g.queue.Len() == 0 || g.running >= g.cfg.concurrency {
		return false
	}
	g.heedUntil()
	return !g.stopped
}

// startNext has w run the task at the head of the queue.
func (g *Group[K, T]) startNext(w *worker[K, T]) {
	w.i, w.task = g.head, g.queue.pop()
	origin := g.origins.take(g.head)
	if g.cfg.discard {
		w.key = g.keys.take()
	}
	g.head++
	g.running++
	w.runner.Launch(origin)
	g.admit()
}

func (g *Group[K, T]) takeWorker() *worker[K, T] {
	if n := len(g.idle); n > 0 {
		w := g.idle[n-1]
		g.idle[n-1] = nil
		g.idle = g.idle[:n-1]
		return w
	}
	w := &worker[K, T]{g: g}
	w.runner.Init(g.scope, w)
	return w
}

// Run implements scheduler.Job. A task whose turn came as the ctx that the group
// was made with ended does not start.
func (w *worker[K, T]) Run(ctx context.Context) error {
	if w.g.heedUntil(); w.g.stopped {
		return ctx.Err()
	}
	v, err := w.task(ctx)
	if err == nil {
		w.v = v
	}
	return err
}

// Ended implements scheduler.Job.
func (w *worker[K, T]) Ended(c *scheduler.Coroutine, err error, cancelled bool) {
	g := w.g
	if cancelled {
		g.heedUntil() // before the loop was told
	}
	i, key, v := w.i, w.key, w.v
	var none worker[K, T]
	w.key, w.task, w.v = none.key, nil, none.v
	g.running--
	f := g.settle(i, key, v, c, err, cancelled)
	if f != nil && g.cfg.failFast {
		g.scope.Cancel(&f.TaskError)
	}
	g.flush()
	if g.mayStart() {
		g.startNext(w)
	} else if len(g.idle) < maxIdle {
		g.idle = append(g.idle, w)
	}
	g.pump()
}
