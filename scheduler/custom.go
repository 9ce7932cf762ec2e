package scheduler

// An event of a user's own has no place for a Waiter: it is subscribed to with a
// closure. Its methods are callbacks: they cannot suspend, a panic of one is a
// failure, and what it calls late is not heard.

// subscribe lists the coroutine with n.ev, a custom event.
func (n *waitNode) subscribe() {
	listed := true
	var undo func()
	n.unsub = func() {
		listed = false
		if undo != nil {
			undo()
		}
	}
	ev, s := n.ev, n.k.co.s
	err := s.guard(func() {
		undo = ev.Subscribe(func(err error) {
			if listed {
				n.k.notice(ev, err)
			}
		})
	})
	if err != nil {
		n.k.notice(ev, err)
	}
}

// startCustom starts n.ev, a custom event.
func (n *waitNode) startCustom() (err error) {
	if panicked := n.k.co.s.guard(func() { err = n.ev.Start() }); panicked != nil {
		return panicked
	}
	return err
}

// removeCustom undoes subscribe and startCustom.
func (n *waitNode) removeCustom() {
	unsub := n.unsub
	n.unsub = nil
	c := n.k.co
	err := c.s.guard(func() {
		defer unsub()
		if n.started {
			n.ev.Stop()
		}
	})
	if err != nil {
		c.scope.report(c, err)
	}
}
