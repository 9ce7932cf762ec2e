package taskgroup

// Seal has the group take no more tasks. Those that it has run on. A Spawn that
// waits for room fails.
func (g *Group[K, T]) Seal() {
	g.mustLoop("Seal")
	g.seal()
	g.flush()
}

func (g *Group[K, T]) seal() {
	g.sealed = true
	g.producers.refuse(ErrSealed)
}

// Cancel seals the group and cancels it: tasks in the queue settle at once as
// cancelled and never run, those that run are cancelled, with all else in the
// group's scope. The first cause stays. Cancelling the group touches nothing
// outside of it.
func (g *Group[K, T]) Cancel(cause error) {
	g.mustLoop("Cancel")
	g.scope.Cancel(cause)
}

// Dispose cancels the group, ends its scope, and returns the errors that nobody
// has handled, in a *scheduler.CompositeError, nil where there are none. They
// count as handled now. What tasks that are still ending return is reported as
// unhandled. `defer g.Dispose()` is how not to leave a group behind.
func (g *Group[K, T]) Dispose() error {
	g.mustLoop("Dispose")
	fs := g.failures.unhandled()
	see(fs)
	g.scope.Dispose()
	if len(fs) == 0 {
		return nil
	}
	return composite(fs)
}

// stop is called once, when the group's scope is cancelled or disposed, by whomever,
// before the tasks that run are told.
func (g *Group[K, T]) stop() {
	g.stopped = true
	g.seal()
	var none T
	for g.queue.Len() > 0 {
		g.queue.pop()
		i := g.head
		g.head++
		g.settle(i, g.keys.take(), none, nil, g.scope.Cancellation(), true)
	}
	g.flush()
}
