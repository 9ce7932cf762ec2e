package reactor

// member is a place in a registry; it lives inside the event it stands for.
type member struct {
	owner      abandoner
	in         *registry
	next, prev *member
}

// abandoner is an event as the closing of its reactor sees it.
type abandoner interface {
	// abandon ends the event with net.ErrClosed and takes it out of the registry.
	abandon()
}

// registry holds what must be told when the reactor closes.
type registry struct{ head *member }

func (g *registry) add(m *member, owner abandoner) {
	m.owner, m.in, m.prev, m.next = owner, g, nil, g.head
	if g.head != nil {
		g.head.prev = m
	}
	g.head = m
}

// leave takes m out of its registry, if it is in one.
func (m *member) leave() {
	if m.in == nil {
		return
	}
	if m.prev == nil {
		m.in.head = m.next
	} else {
		m.prev.next = m.next
	}
	if m.next != nil {
		m.next.prev = m.prev
	}
	*m = member{}
}
