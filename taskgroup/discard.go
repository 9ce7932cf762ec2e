package taskgroup

import (
	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/scheduler"
)

// stream is what the loops of a group that discards are given: what settles while
// one is running.
type stream[K comparable, T any] struct {
	loops int
	items ring.Ring[outcome[K, T]]
}

// discard passes on what a group that discards does not keep: to the loops that
// are running, or, where it is a failure and nobody takes it, to be reported.
func (g *Group[K, T]) discard(o *outcome[K, T], c *scheduler.Coroutine) {
	if o.f != nil {
		for _, w := range g.firsts {
			w.failed = append(w.failed, o.f)
		}
	}
	switch {
	case g.stream.loops > 0:
		g.stream.items.PushBack(*o)
	case o.f != nil:
		g.failures.fresh = append(g.failures.fresh, fresh[K]{o.f, c})
	}
}

// endLoop notes that an Each has ended. Of what no other one will yield the
// failures are reported.
func (g *Group[K, T]) endLoop() {
	if g.stream.loops--; g.stream.loops > 0 {
		return
	}
	for o, ok := g.stream.items.PopFront(); ok; o, ok = g.stream.items.PopFront() {
		if o.f != nil {
			g.failures.fresh = append(g.failures.fresh, fresh[K]{o.f, nil})
		}
	}
	g.reportFresh()
}

// reportFresh reports the failures that nobody has been given.
func (g *Group[K, T]) reportFresh() {
	all := g.failures.fresh
	g.failures.fresh = nil
	g.failures.collect()
	for _, r := range all {
		if !r.f.seen && !r.f.silent && !g.failures.suppressed {
			g.scope.Report(r.c, &r.f.TaskError)
		}
	}
}

// fresh is a failure that has just happened, and the coroutine that has failed.
type fresh[K comparable] struct {
	f *failure[K]
	c *scheduler.Coroutine
}
