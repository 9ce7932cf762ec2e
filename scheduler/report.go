package scheduler

// Report takes a failure of what the scope owns, of which nobody else is told,
// the way of unhandled errors: to the handler set by OnError, else to the nearest
// one above set by OnChildError; where there is none, graceful shutdown begins and
// Run returns err. c is the coroutine that has failed, nil where it was none. It
// is called on the loop, also when the scope has ended, and never suspends.
func (sc *Scope) Report(c *Coroutine, err error) {
	sc.s.mustLoop("Scope.Report")
	if err == nil {
		misuse("Report(nil)")
	}
	if c != nil {
		c.expose()
	}
	sc.report(c, err)
}
