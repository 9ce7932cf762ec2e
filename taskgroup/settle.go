package taskgroup

import "github.com/trueasync/trueasync-go/scheduler"

// settle notes how task i has ended, and calls nobody: see flush. Its key is given
// where the group does not keep it. It returns the failure, where it is one.
//
// A cancellation counts as one only where the group is stopped. Otherwise
// somebody has cancelled that task alone, and it is its error.
func (g *Group[K, T]) settle(i int, key K, v T, c *scheduler.Coroutine, err error, cancelled bool) *failure[K] {
	o := outcome[K, T]{v: v, cancelled: cancelled && g.stopped}
	if o.key = key; !g.cfg.discard && err != nil {
		o.key = g.keys.of(i)
	}
	if err != nil && !o.cancelled {
		o.f = &failure[K]{TaskError: TaskError[K]{o.key, err}, i: i, silent: cancelled}
	}
	g.keys.release(key)
	g.outcomes.note(&o)
	for _, w := range g.alls {
		w.settled(i, o.cancelled)
	}
	if g.cfg.discard {
		g.discard(&o, c)
	} else {
		if o.f != nil {
			g.failures.keep(o.f)
		}
		g.outcomes.put(i, &o)
	}
	return o.f
}

// flush tells everybody who is concerned of what has settled. It may be called in
// the middle of itself: whoever is told may do anything to the group.
func (g *Group[K, T]) flush() {
	if len(g.alls) > 0 {
		g.flushAlls()
	}
	if len(g.firsts) > 0 {
		g.flushFirsts()
	}
	if len(g.failures.fresh) > 0 {
		g.reportFresh()
	}
	g.news.Fire(nil)
	if g.isOver() {
		g.unwatch()
		g.finalizer.start()
	}
}
