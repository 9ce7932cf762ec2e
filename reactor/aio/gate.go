package aio

import (
	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/scheduler"
)

// gate keeps calls out of a side while somebody has it alone, across several calls.
// It is an event that fires when it opens.
type gate struct{ event.Once }

// Start implements reactor.Event; a gate needs no arming.
func (*gate) Start() error { return nil }

// Stop implements reactor.Event; it does nothing.
func (*gate) Stop() {}

// String names the gate, for dumps.
func (*gate) String() string { return "turn to write" }

// hold waits until nobody is in the side any more and keeps others out, but for those
// who wait for readiness, until release is called.
func (sd *side) hold(c *scheduler.Coroutine) (release func(), err error) {
	// A write of nothing has its turn after those that are there, and lets them pass
	// that hold the side.
	for {
		if err := sd.suspend(c, &call{kind: write}); err != nil {
			return nil, err
		}
		if sd.gate == nil && sd.first == nil {
			break
		}
	}
	g := new(gate)
	sd.gate = g
	return func() {
		sd.gate = nil
		g.Settle(nil)
	}, nil
}

// pass waits until the side is held by nobody.
func (sd *side) pass(c *scheduler.Coroutine) error {
	for sd.gate != nil {
		if err := c.Wait(sd.gate); err != nil {
			return err
		}
	}
	return sd.refuse()
}
