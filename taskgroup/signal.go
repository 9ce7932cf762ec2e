package taskgroup

import (
	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/reactor"
)

// signal is an event of the group's own that a coroutine suspends for. Where it is
// settled, later suspensions return at once; where it is fired, those under way.
type signal struct {
	event.List
	what string
}

var (
	_ reactor.Event = (*signal)(nil)
	_ event.Source  = (*signal)(nil)
)

// Start implements reactor.Event; there is nothing to arm.
func (*signal) Start() error { return nil }

// Stop implements reactor.Event; it does nothing.
func (*signal) Stop() {}

// String names what is waited for, for dumps.
func (s *signal) String() string { return s.what }
