package reactor

import (
	"net"
	"time"
)

// Execute performs one tick and reports how many events fired: with noWait it
// handles what has already happened, without it it blocks until something
// does, a timer is due, or Wake is called. Waiters are called from within it.
//
// A Wake is taken by the Execute that would otherwise have blocked, never by
// one that is told not to wait. Where nothing is armed, Execute(false) blocks
// until Wake; see Alive. On a closed reactor the error is net.ErrClosed.
//
// A panic of a waiter goes through Execute; the reactor stays whole, and the
// next Execute goes on where this one was.
func (r *Reactor) Execute(noWait bool) (fired int, err error) {
	if r.closed {
		return 0, net.ErrClosed
	}
	before := r.fired
	if r.watching() {
		err = r.backend.Wait(0)
	}
	r.handle()
	if !noWait && err == nil {
		err = r.block(before)
	}
	return int(r.fired - before), err
}

// watching reports whether descriptors are waited for, or requests under way.
func (r *Reactor) watching() bool { return r.backend != nil && r.backend.Busy() }

// handle fires what has been collected and what is due: descriptors, work done
// off the loop, timers.
func (r *Reactor) handle() {
	if r.backend != nil {
		r.backend.Deliver()
	}
	if r.off.some() {
		r.off.drain()
	}
	if r.timers.Len() > 0 {
		r.timers.Expire(r.now())
		for t := r.timers.Due(); t != nil; t = r.timers.Due() {
			t.expire()
		}
	}
}

// block waits until something fires or a wake-up comes. Readiness that nobody
// waits for, and kicks that are late, do not count.
func (r *Reactor) block(before uint64) error {
	for r.fired == before && !r.closed {
		d, step := r.patience()
		woken, err := r.await(d)
		if err != nil {
			return err
		}
		r.handle()
		if woken {
			return nil
		}
		if step && r.fired == before {
			r.step()
		}
	}
	return nil
}

// await collects what happens within d, and reports a wake-up.
func (r *Reactor) await(d time.Duration) (woken bool, err error) {
	if r.watching() {
		if !r.beginWait(inBackend) {
			return true, nil
		}
		if r.off.some() {
			d = 0
		}
		err = r.backend.Wait(d)
		return r.endWait(), err
	}
	if r.kick == nil {
		r.kick = make(chan struct{}, 1)
	}
	if !r.beginWait(inChannel) {
		return true, nil
	}
	if d != 0 && !r.off.some() {
		r.sleep(d)
	}
	return r.endWait(), nil
}

// step moves a virtual clock to the next timer and fires what is due then.
func (r *Reactor) step() {
	if at, ok := r.NextTimer(); ok {
		r.virtual.AdvanceTo(at)
		r.handle()
	}
}
