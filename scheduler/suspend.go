package scheduler

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/trueasync/trueasync-go/internal/coro"
	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/reactor"
)

// Suspend arms the events, all at once, and parks the coroutine until one of
// them fires, Resume is called, or ctx ends; it returns the event that fired and
// disarms the rest. Where one has completed already it returns at once, without
// a switch, also under a ctx that has ended. Nothing is armed before Suspend is
// called, nor under a ctx that has ended.
//
// The error is the fired event's, or the one given to Resume, or that of the end
// of ctx: a [*CancelledError], or one that matches context.DeadlineExceeded. An
// event that cannot be started fails the suspension; with the error of an event
// comes the event.
//
// Suspend is for the coroutine of ctx. Like everything that suspends it fails with
// [ErrForeignGoroutine] on another goroutine, and with [ErrNotCoroutine] in a
// callback of the loop and under a ctx that belongs to no coroutine.
func Suspend(ctx context.Context, events ...reactor.Event) (fired reactor.Event, err error) {
	c, err := own(ctx)
	if err != nil {
		return nil, err
	}
	c.resumable = true
	fired, err = c.suspend(ctx, events)
	c.resumable = false
	if fired == nil && c.carrier.fired != nil {
		c.carrier.passOver()
	}
	return fired, err
}

// suspend is Suspend of the running coroutine; ctx is noCtx for methods without one.
// Where an event has fired and something else ended the suspension all the same,
// that event is left in the carrier. A caller that will look at how the event ended
// whatever wakes it sets looks in the carrier.
func (c *Coroutine) suspend(ctx context.Context, events []reactor.Event) (fired reactor.Event, err error) {
	k := c.carrier
	if k.first.ev != nil {
		k.disarm() // left by a suspension that was unwound
	}
	k.fired, k.firing = nil, nil
	listed := 0
	for _, ev := range events {
		if ev == nil {
			k.disarm()
			misuse("Suspend with a nil event")
		}
		k.add(listed, ev)
		listed++
		if k.fired != nil {
			break
		}
	}
	if k.fired == nil {
		if err = c.listen(ctx); err == nil {
			for i := range events {
				if k.arm(i); k.fired != nil {
					break
				}
			}
			if k.fired == nil {
				c.state, k.since = Suspended, c.s.tick.stamp
				c.s.giveWay(c)
				err = c.awoken()
			}
			k.unlisten()
		}
	} else {
		c.s.stats.fastReturns++
	}
	for i := range listed {
		k.remove(i)
	}
	k.looks = false
	if k.fired == nil || err != nil {
		return nil, err
	}
	fired, err = k.fired, k.firing
	k.fired, k.firing = nil, nil
	return fired, err
}

// add lists the coroutine with ev, as its i-th event.
func (k *carrier) add(i int, ev reactor.Event) {
	n := k.node(i)
	n.ev = ev
	if source, ok := ev.(event.Source); ok {
		source.AddWaiter(&n.Waiter)
		return
	}
	n.subscribe()
}

// arm starts the i-th event. What cannot be started has fired with that error.
func (k *carrier) arm(i int) {
	n := k.node(i)
	var err error
	if n.unsub == nil {
		err = n.ev.Start()
	} else {
		err = n.startCustom()
	}
	if err != nil {
		k.notice(n.ev, err)
		return
	}
	n.started = true
}

// remove undoes add and arm.
func (k *carrier) remove(i int) {
	n := k.node(i)
	switch {
	case n.unsub != nil:
		n.removeCustom()
	case n.ev != nil:
		if n.started {
			n.ev.Stop()
		}
		if source, ok := n.ev.(event.Source); ok {
			source.RemoveWaiter(&n.Waiter)
		}
	}
	if n.held {
		n.held = false
		k.co.s.holdOutside(-1)
	}
	n.ev, n.started = nil, false
}

// node is the i-th of the carrier's nodes.
func (k *carrier) node(i int) *waitNode {
	if i == 0 {
		return &k.first
	}
	for len(k.nodes) < i {
		n := &waitNode{k: k}
		n.Target = n
		k.nodes = append(k.nodes, n)
	}
	return k.nodes[i-1]
}

// notice is told that ev has fired. The first one counts, unless the coroutine has
// been woken with an error before.
func (k *carrier) notice(ev reactor.Event, err error) {
	if !k.heeds() {
		return
	}
	k.fired, k.firing = ev, err
	if k.co.state == Suspended {
		k.co.wake(nil)
	}
}

// heeds reports whether the suspension returns the next event to fire.
func (k *carrier) heeds() bool {
	return k.fired == nil && k.co != nil && k.co.wakeErr == nil
}

// disarm forgets a suspension that will not be returned from: a panic or a
// runtime.Goexit, of a callback or of an event of the user's own, has unwound it.
func (k *carrier) disarm() {
	for i := 0; i <= len(k.nodes); i++ {
		if k.node(i).ev != nil {
			k.remove(i)
		}
	}
	if p := k.promise; p != nil {
		k.promise = nil
		p.breakOff()
	}
	k.unlisten()
	k.wants = noWant
}

// wake makes a suspended coroutine ready; err becomes its suspension's error.
func (c *Coroutine) wake(err error) {
	c.wakeErr = err
	c.state = Ready
	c.s.enqueueReady(c)
}

// awoken takes the error that the coroutine was woken with.
func (c *Coroutine) awoken() error {
	if c.wakeErr == nil {
		return nil
	}
	return c.takeWakeErr()
}

// takeWakeErr is a function of its own for the sake of awoken, which is inlined.
//
//go:noinline
func (c *Coroutine) takeWakeErr() (err error) {
	err, c.wakeErr = c.wakeErr, nil
	if isCancellation(err) {
		c.interrupt = false
	}
	return err
}

// Resume makes a coroutine parked by [Suspend] ready again; err becomes Suspend's.
// Of one that is ready already only the error is merged: a failure replaces a
// stored cancellation, never the reverse, and the first of a kind stays. Resume
// of a coroutine that is neither is an error, and so is that of one that waits
// for something of its own: a lock, a channel, the end of a Sleep. On the loop
// only.
func (c *Coroutine) Resume(err error) error {
	c.s.mustLoop("Resume")
	switch {
	case c.state == Suspended && c.resumable:
		c.wake(err)
	case c.state == Ready:
		c.merge(err)
	default:
		return fmt.Errorf("scheduler: resume of %v, which is %v and not parked by Suspend", c, c.state)
	}
	return nil
}

// merge adds err to what a ready coroutine was woken with.
func (c *Coroutine) merge(err error) {
	if err == nil {
		return
	}
	if c.wakeErr == nil || isCancellation(c.wakeErr) && !isCancellation(err) {
		c.wakeErr = err
	}
	if p := c.carrier.promise; p != nil {
		c.carrier.promise = nil
		p.breakOff()
	}
}

// listen prepares for a suspension under ctx, noCtx for that of a method without
// one: from now on the end of ctx wakes the coroutine. It fails where ctx has
// ended. Undone by unlisten.
func (c *Coroutine) listen(ctx context.Context) error {
	if ctx != context.Context(c) {
		return c.listenDerived(ctx)
	}
	if c.hasEnded() {
		return c.refuse(ctx)
	}
	c.listening = true
	if c.x != nil {
		c.x.failures = 0
	}
	if c.linked {
		c.holdUnderLink()
	}
	return nil
}

// ended is the error with which what takes ctx fails at once, nil while ctx has
// not ended.
func (c *Coroutine) ended(ctx context.Context) error {
	if ctx == context.Context(c) {
		if !c.hasEnded() {
			return nil
		}
	} else if !c.s.end.final && ctx.Err() == nil {
		return nil
	}
	return c.refuse(ctx)
}

// hasEnded reports whether the bare ctx has ended.
func (c *Coroutine) hasEnded() bool {
	return c.cancel.Load() != nil || c.linked && c.linkEnded()
}

// unlisten undoes listen.
func (k *carrier) unlisten() {
	k.co.listening = false
	if k.undo != nil || k.underLink {
		k.unlistenDerived()
	}
}

func (k *carrier) unlistenDerived() {
	if k.undo != nil {
		k.undo()
		k.undo = nil
	}
	if k.underLink {
		k.underLink = false
		k.co.s.holds--
	}
}

// listenDerived is listen for a ctx that is not the coroutine itself.
func (c *Coroutine) listenDerived(ctx context.Context) error {
	s := c.s
	if ctx == noCtx && !s.end.final {
		if c.interrupt {
			c.interrupt = false
			return c.endOf(c)
		}
		c.listening = true
		if c.linked {
			c.holdUnderLink()
		}
		return nil
	}
	if s.end.final || ctx.Err() != nil {
		return c.refuse(ctx)
	}
	done := ctx.Done()
	if done == nil {
		return nil // context.WithoutCancel, Protect
	}
	if own := c.std.Load(); own != nil && own.Done() == done {
		c.listening = true // context.WithValue alone
		if c.linked {
			c.holdUnderLink()
		}
		return nil
	}
	k := c.carrier
	if k.undo != nil {
		k.unlisten() // left by a suspension that was unwound
	}
	k.waitCtx = ctx
	s.holds++
	undo := s.whenEnds(ctx, func() { c.ctxEnded(ctx) })
	k.undo = func() {
		undo()
		s.holds--
		k.waitCtx = nil
	}
	return nil
}

// holdUnderLink has the suspension of a coroutine that was spawned with a derived
// ctx count as one that something may end: that ctx.
func (c *Coroutine) holdUnderLink() {
	if k := c.carrier; !k.underLink {
		k.underLink = true
		c.s.holds++
	}
}

// ctxEnded wakes the coroutine, or adds to why it was woken: ctx, under which it
// is suspended, has ended.
func (c *Coroutine) ctxEnded(ctx context.Context) {
	switch c.state {
	case Suspended:
		c.wake(c.endOf(ctx))
	case Ready:
		c.merge(c.endOf(ctx))
	}
}

// refuse is the error of a suspension that fails at once.
//
// A body that takes no notice of its cancellation and suspends again and again
// would hold the loop: now and then it goes to the back of the queue, and in the
// final clean-up it is unwound.
func (c *Coroutine) refuse(ctx context.Context) error {
	s := c.s
	x := c.extra()
	c.interrupt = false
	x.failures++
	if s.end.final && x.failures > refusals {
		runtime.Goexit()
	}
	if x.failures%refusals == 0 && !s.end.final {
		c.state = Ready
		s.ready.PushBack(c)
		s.giveWay(c)
		_ = c.awoken()
	}
	if ctx != nil {
		if err := c.endOf(ctx); err != nil {
			return err
		}
	}
	return &CancelledError{s.end.cause}
}

// refusals is how many suspensions of a coroutine may fail at once, in a row,
// before something is done about it.
const refusals = 64

// Yield goes to the back of the queue: every coroutine that is ready runs before
// it returns. Its errors are those of the end of ctx; who may call it is told at
// [Suspend].
func Yield(ctx context.Context) error {
	c, bare := ctx.(*Coroutine)
	if !bare || c.gid.Load() != gid.Get() || c.state != Running || c.cancel.Load() != nil || c.linked {
		var err error
		if c, err = own(ctx); err == nil {
			err = c.ended(ctx)
		}
		if err != nil {
			return err
		}
	}
	s := c.s
	c.listening, c.yielded = bare, true
	c.state = Ready
	if c.hooked { // giveWay, written out, but that pushing and popping are one
		c.handle(Leave)
	}
	var n *Coroutine
	if s.countdown > 0 {
		s.countdown--
		n = s.ready.Rotate(c)
	} else {
		s.ready.PushBack(c)
	}
	if n == nil || n.stack == nil {
		n = s.embody(n)
	}
	if s.turn(c, n) {
		meant := false
		if slot := coro.Park(&c.stack.Context, &n.stack.Context); slot.Odd() {
			meant = slot.Yield()
		} else {
			meant = slot.Next()
		}
		if !meant {
			coro.PassOn(&c.stack.Context)
		}
	}
	if c.hooked {
		c.back()
	}
	c.listening = false
	if err := c.awoken(); err != nil || bare {
		return err
	}
	return c.endOf(ctx)
}

// Sleep suspends for d, by the scheduler's clock, which is read when Sleep is
// called; a negative d is 0. Its errors are those of the end of ctx; who may call
// it is told at [Suspend].
func Sleep(ctx context.Context, d time.Duration) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	t := c.s.timers.take(c.s.reactor, d)
	events := [1]reactor.Event{t}
	_, err = c.suspend(ctx, events[:])
	c.s.timers.give(t)
	return err
}

// park suspends the coroutine until wake is called or ctx ends. It is how what is
// no event is waited for.
func (c *Coroutine) park(ctx context.Context, want want) error {
	if err := c.listen(ctx); err != nil {
		return err
	}
	k := c.carrier
	k.wants = want
	c.state, k.since = Suspended, c.s.tick.stamp
	c.s.giveWay(c)
	k.wants = noWant
	k.unlisten()
	return c.awoken()
}

// Wait suspends the coroutine, which must be the running one, until ev fires, and
// returns its error. It is for methods that have no ctx, such as those of
// net.Conn: a cancellation of the coroutine interrupts one such wait, the one
// under way or the next, and later ones work, so that a deferred flush or close
// can. ev is armed by the call and disarmed on the way back.
func (c *Coroutine) Wait(ev reactor.Event) error {
	c, err := own(c)
	if err != nil {
		return err
	}
	events := [1]reactor.Event{ev}
	_, err = c.suspend(noCtx, events[:])
	return err
}
