package reactor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
)

// Signal fires each time the process receives a signal. Many may wait for one
// signal; a signal nobody waits for keeps its default disposition. Signals
// that come faster than the loop handles them may be told as one, as the system
// itself does.
type Signal struct {
	waiters
	r      *Reactor
	sig    os.Signal
	starts starts
	member member
}

// signalHub relays one signal to the loop while anyone there waits for it. Each
// signal has a channel of its own, since giving one up must not touch another.
//
// Package os/signal does it on every system. A kqueue's EVFILT_SIGNAL only records
// signals beside their disposition, so it takes os/signal all the same to keep them
// from ending the process, and each would be told twice.
type signalHub struct {
	r      *Reactor
	sig    os.Signal
	events registry
	ch     chan os.Signal
	quit   chan struct{}
}

// signalBuffer is how many signals of one kind may come before the relay runs.
const signalBuffer = 64

// NewSignal returns an idle signal event. It fails for what cannot be caught.
func (r *Reactor) NewSignal(sig os.Signal) (*Signal, error) {
	if sig == nil {
		return nil, errors.New("reactor: nil signal")
	}
	if !catchable(sig) {
		return nil, fmt.Errorf("reactor: signal %v cannot be caught", sig)
	}
	return &Signal{r: r, sig: sig}, nil
}

// Start arms the event; see [Event]. The first for its signal changes the
// signal's disposition.
func (s *Signal) Start() error {
	if s.r.closed {
		return net.ErrClosed
	}
	if !s.starts.start() {
		return nil
	}
	s.pend()
	s.r.alive++
	s.r.realEvents++
	hub := s.r.signals[s.sig]
	if hub == nil {
		hub = s.r.listen(s.sig)
	}
	hub.events.add(&s.member, s)
	return nil
}

// Stop undoes one Start; see [Event]. The last for its signal restores the
// signal's disposition.
func (s *Signal) Stop() {
	if s.starts.stop() {
		s.disarm()
	}
}

func (s *Signal) disarm() {
	s.starts = 0
	s.r.alive--
	s.r.realEvents--
	s.member.leave()
	if hub := s.r.signals[s.sig]; hub.events.head == nil {
		hub.stop()
	}
}

func (s *Signal) abandon() {
	s.disarm()
	s.complete(net.ErrClosed)
}

// String names the event: "signal terminated".
func (s *Signal) String() string { return "signal " + s.sig.String() }

func (r *Reactor) listen(sig os.Signal) *signalHub {
	hub := &signalHub{
		r:    r,
		sig:  sig,
		ch:   make(chan os.Signal, signalBuffer),
		quit: make(chan struct{}),
	}
	if r.signals == nil {
		r.signals = make(map[os.Signal]*signalHub)
	}
	r.signals[sig] = hub
	signal.Notify(hub.ch, sig)
	go hub.relay()
	return hub
}

func (hub *signalHub) relay() {
	for {
		select {
		case <-hub.ch:
			hub.r.post(hub)
		case <-hub.quit:
			return
		}
	}
}

func (hub *signalHub) stop() {
	signal.Stop(hub.ch)
	close(hub.quit)
	delete(hub.r.signals, hub.sig)
}

// complete implements completion: one signal has come.
func (hub *signalHub) complete() {
	var told []*Signal
	for m := hub.events.head; m != nil; m = m.next {
		told = append(told, m.owner.(*Signal))
	}
	hub.r.tell(told)
}

// tell fires those of the events that are still armed when their turn comes,
// the oldest first. Should a subscriber panic, the rest are told all the same.
func (r *Reactor) tell(events []*Signal) {
	if len(events) == 0 {
		return
	}
	last := len(events) - 1
	defer r.tell(events[:last])
	s := events[last]
	if s.starts.any() {
		r.fired++
		s.fire(nil)
	}
}
