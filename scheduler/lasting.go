package scheduler

// Lasting has the scope end when it is disposed or its parent ends, and not
// before: being closed or cancelled does not end it, nor that all it owns has
// ended. So what has failed in it can be looked at as long as its owner lives.
func Lasting() ScopeOption {
	return func(sc *Scope) { sc.lasting = true }
}

// OnStop has fn called on the loop when the scope is cancelled or disposed, by
// itself or from above, with the cause and before what it owns is told; at once
// where that has happened. It is called once. fn must not suspend; nil takes it
// away.
func (sc *Scope) OnStop(fn func(cause error)) {
	sc.s.mustLoop("Scope.OnStop")
	sc.onStop = fn
	if sc.cancelled {
		sc.tellStop()
	}
}

// Cancellation is the error of what the scope's cancellation has ended, nil where
// it was not cancelled.
func (sc *Scope) Cancellation() *CancelledError {
	if !sc.cancelled {
		return nil
	}
	return asCancelled(sc.cause)
}

func (sc *Scope) tellStop() {
	fn := sc.onStop
	if fn == nil {
		return
	}
	sc.onStop = nil
	if err := sc.s.guard(func() { fn(sc.cause) }); err != nil {
		sc.report(nil, err)
	}
}
