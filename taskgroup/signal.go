package taskgroup

import (
	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/reactor"
)

// signal is an event of the group's own that ends the suspensions under way each
// time it is fired.
type signal struct {
	event.List
	label
}

// notice is an event of the group's own that, once settled, ends the suspensions
// under way and all that come.
type notice struct {
	event.Once
	label
}

// label is the part of an event that has nothing to arm: its name, for dumps.
type label string

var (
	_ reactor.Event = (*signal)(nil)
	_ event.Source  = (*signal)(nil)
	_ reactor.Event = (*notice)(nil)
	_ event.Source  = (*notice)(nil)
)

// Start implements reactor.Event.
func (label) Start() error { return nil }

// Stop implements reactor.Event.
func (label) Stop() {}

// String implements reactor.Event.
func (l label) String() string { return string(l) }
