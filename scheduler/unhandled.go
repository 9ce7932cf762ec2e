package scheduler

// report takes a failure in sc that nobody waits for to the handler whose it is:
// the scope's own, then the child-error handlers upwards. With none it is
// unhandled. c is nil for one that is no coroutine's.
func (sc *Scope) report(c *Coroutine, err error) {
	if err = sc.tell(c, err); err != nil {
		sc.s.unhandled(err)
	}
}

// callback is fn with a panic in it as an unhandled failure in sc.
func (sc *Scope) callback(fn func(error)) func(error) {
	return func(err error) {
		if panicked := sc.s.guard(func() { fn(err) }); panicked != nil {
			sc.report(nil, panicked)
		}
	}
}

// tell is report, without the last resort: where that is what is left it returns
// the error, together with what the handlers on the way failed with.
func (sc *Scope) tell(c *Coroutine, err error) error {
	for at := sc; at != nil; at = at.parent {
		handle := at.handler(sc, c)
		if handle == nil {
			continue
		}
		failure := sc.s.guard(func() { handle(err) })
		if failure == nil {
			return nil
		}
		err = &CompositeError{[]error{err, failure}}
	}
	return err
}

// handler is what sc has for a failure of c in the scope where, itself or one below
// it; nil for nothing.
func (sc *Scope) handler(where *Scope, c *Coroutine) func(error) {
	switch {
	case len(sc.watchers) > 0:
		return *sc.watchers[len(sc.watchers)-1]
	case sc == where && sc.onError != nil:
		return func(err error) { sc.onError(c, err) }
	case sc != where && sc.onChildError != nil:
		return func(err error) { sc.onChildError(where, c, err) }
	}
	return nil
}

// keptFailure is one that somebody may still look at.
type keptFailure interface {
	lookedAt() bool
	// failure is where it happened: a coroutine, nil for none, in a scope.
	failure() (*Scope, *Coroutine, error)
}

// spawnFailure is the failure of a coroutine that was refused by its scope.
type spawnFailure struct {
	c    *Coroutine
	err  error
	seen bool
}

func (f *spawnFailure) lookedAt() bool                       { return f.seen }
func (f *spawnFailure) failure() (*Scope, *Coroutine, error) { return f.c.scope, f.c, f.err }

// keep holds a failure until the scope ends.
func (sc *Scope) keep(f keptFailure) {
	for sc.ended && sc.parent != nil {
		sc = sc.parent
	}
	if len(sc.kept) >= max(sc.keptLimit, 64) {
		left := sc.kept[:0]
		for _, f := range sc.kept {
			if !f.lookedAt() {
				left = append(left, f)
			}
		}
		clear(sc.kept[len(left):])
		sc.kept = left
		sc.keptLimit = 2 * len(left)
	}
	sc.kept = append(sc.kept, f)
}

// reportKept reports what nobody has looked at. The scope has ended, and shuts
// nothing down for it: what no handler takes is returned by Run.
func (sc *Scope) reportKept() {
	kept := sc.kept
	sc.kept = nil
	for _, f := range kept {
		if f.lookedAt() {
			continue
		}
		where, c, err := f.failure()
		if err = where.tell(c, err); err != nil {
			sc.s.end.failures = append(sc.s.end.failures, err)
		}
	}
}
