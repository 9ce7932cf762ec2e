package taskgroup

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/scheduler"
)

// finalizer runs the functions given to Finally, one after another, each as a
// coroutine of the scope that the group was made in. It is a scheduler.Job.
type finalizer[K comparable, T any] struct {
	g      *Group[K, T]
	ctx    context.Context // the one that the group was made with
	pc     uintptr
	fns    ring.Ring[func(*Group[K, T])]
	fn     func(*Group[K, T]) // whose turn it is, nil between two and once it runs
	busy   bool
	origin *scheduler.Origin
	runner scheduler.Runner
}

// Finally has fn called once, as a coroutine, when the group is sealed and all its
// tasks have settled; at once where that is so. Several are called in the order of
// their registration, one after another. A panic in fn is an unhandled failure of
// the scope that the group was made in. Where that takes no coroutine any more, in a
// shutdown, fn is called by a callback of the loop.
func (g *Group[K, T]) Finally(fn func(*Group[K, T])) {
	g.mustLoop("Finally")
	if fn == nil {
		misuse("Finally(nil)")
	}
	f := &g.finalizer
	f.fns.PushBack(fn)
	if f.origin == nil {
		f.origin, _ = g.parent.OriginOf(f.ctx, nil, f.pc) // New has looked at ctx
		f.runner.Init(g.parent, f)
	}
	if g.isOver() {
		f.start()
	}
}

// start calls the next function, unless one is being called.
func (f *finalizer[K, T]) start() {
	if f.busy {
		return
	}
	fn, ok := f.fns.PopFront()
	if f.busy = ok; ok {
		f.fn = fn
		f.runner.Launch(f.origin)
	}
}

// Run implements scheduler.Job.
func (f *finalizer[K, T]) Run(context.Context) error {
	fn := f.fn
	f.fn = nil
	fn(f.g)
	return nil
}

// Ended implements scheduler.Job.
func (f *finalizer[K, T]) Ended(c *scheduler.Coroutine, err error, _ bool) {
	if fn := f.fn; fn != nil { // it never ran
		f.fn = nil
		c.Finally(func(*scheduler.Coroutine) { fn(f.g) })
	} else if err != nil {
		f.g.parent.Report(c, err)
	}
	f.busy = false
	f.start()
}
