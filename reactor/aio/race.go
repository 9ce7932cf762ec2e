package aio

import (
	"context"
	"net/netip"
	"time"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// defaultFallbackDelay is what package net waits, too.
const defaultFallbackDelay = 300 * time.Millisecond

// race dials the addresses, each a while after the one before, or as soon as that
// has failed, until one has been reached (RFC 8305, section 5). Where none can be,
// the first failure counts.
func (d *Dialer) race(ctx context.Context, tries []*attempt) (*Conn, error) {
	r := &racing{d: d, s: scheduler.Current(ctx).Scheduler(), tries: tries, delay: d.FallbackDelay}
	if r.delay == 0 {
		r.delay = defaultFallbackDelay
	}
	r.patience = r.s.Reactor().NewTimer(r.delay, 0)
	defer r.abandon()
	for next := true; ; {
		if next {
			r.start()
		}
		winner, failed := r.settle()
		switch {
		case winner != nil:
			return winner.conn(r.s), nil
		case failed && len(r.tries) > 0:
			next = true
			continue
		case len(r.under) == 0:
			return nil, r.first
		}
		fired, err := scheduler.Suspend(ctx, r.events()...)
		if fired == nil {
			return nil, r.under[0].fail(err)
		}
		next = fired == reactor.Event(r.patience)
	}
}

// racing is a race under way.
type racing struct {
	d        *Dialer
	s        *scheduler.Scheduler
	tries    []*attempt // not begun
	under    []*attempt // begun, and not ended
	first    error      // of those that have failed
	delay    time.Duration
	patience *reactor.Timer
}

// start begins the next attempt, if there is one.
func (r *racing) start() {
	if len(r.tries) == 0 {
		return
	}
	a := r.tries[0]
	r.tries = r.tries[1:]
	a.begin(r.s, r.d.Control)
	r.under = append(r.under, a)
	r.patience.Reset(r.delay)
}

// settle takes out who has won, and those who have failed.
func (r *racing) settle() (winner *attempt, failed bool) {
	running := r.under[:0]
	for _, a := range r.under {
		done, err := a.outcome()
		switch {
		case !done || err == nil && winner != nil:
			running = append(running, a)
		case err == nil:
			winner = a
		default:
			a.abandon()
			if failed = true; r.first == nil {
				r.first = a.fail(err)
			}
		}
	}
	r.under = running
	return winner, failed
}

// events are what to wait for: the attempts, and the time for the next.
func (r *racing) events() []reactor.Event {
	events := make([]reactor.Event, 0, len(r.under)+1)
	for _, a := range r.under {
		events = append(events, &a.request)
	}
	if len(r.tries) > 0 && r.delay > 0 {
		events = append(events, r.patience)
	}
	return events
}

// abandon gives up the attempts under way.
func (r *racing) abandon() {
	for _, a := range r.under {
		a.abandon()
	}
}

// interleaved has the addresses of the two families take turns, beginning with the
// family of the first (RFC 8305, section 4).
func interleaved(addrs []netip.AddrPort) []netip.AddrPort {
	var families [2][]netip.AddrPort
	for _, a := range addrs {
		i := 0
		if a.Addr().Is4() != addrs[0].Addr().Is4() {
			i = 1
		}
		families[i] = append(families[i], a)
	}
	var mixed []netip.AddrPort
	for i := range addrs {
		for _, f := range families {
			if i < len(f) {
				mixed = append(mixed, f[i])
			}
		}
	}
	return mixed
}
