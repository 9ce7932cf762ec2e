package aio

import (
	"context"
	"net"
	"os"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// side is one direction of a handle: its deadline, and those who wait.
//
// Everything but the deadline's moment and waiting belongs to the loop. Whoever
// begins to wait counts in waiting and then looks at the deadline; whoever moves
// the deadline stores it and then looks at waiting: one of the two sees the other.
type side struct {
	h       *handle
	mode    reactor.Mode
	waiting atomic.Int32
	first   *op
	gate    *gate // while somebody has the side alone
	deadline
}

// do carries out a call: for the running coroutine, which it suspends, or for a
// goroutine that is not on the loop, which it blocks.
func (sd *side) do(a *call) error { return sd.doMore(a, nil) }

// doMore is do for the kinds that have more.
func (sd *side) doMore(a *call, m *more) error {
	if c := sd.h.s.Running(); c != nil {
		return sd.suspendMore(c, a, m)
	}
	return sd.block(a, m)
}

// suspend carries out a call for c, the running coroutine.
func (sd *side) suspend(c *scheduler.Coroutine, a *call) error { return sd.suspendMore(c, a, nil) }

// suspendMore is suspend for the kinds that have more.
func (sd *side) suspendMore(c *scheduler.Coroutine, a *call, m *more) error {
	if err := sd.enter(c, a.calm); err != nil {
		return err
	}
	if sd.gate != nil && a.kind != ready {
		if err := sd.pass(c); err != nil {
			return err
		}
	}
	q := sd.h.take()
	q.begin(sd, a, m)
	done, err := q.Done()
	if !done {
		err = sd.wait(c, q)
	} else {
		c.Spend(q.cost())
	}
	q.collect(sd, a, m)
	sd.h.give(q)
	return err
}

// enter is how every call of c, the running coroutine, begins: what it fails with
// where it may not go on.
//
// Others have their turn before it, not after it, where its predecessors have
// completed at once too often. So whatever comes meanwhile, a cancellation, a close,
// the deadline, finds a call that has taken nothing yet.
func (sd *side) enter(c *scheduler.Coroutine, calm bool) error {
	err := c.YieldIfSpent()
	if err == nil || calm {
		err = sd.refuse()
	}
	if err == nil && !calm {
		err = c.Interrupted()
	}
	if err != nil {
		c.Spend(1) // somebody who pays no heed to errors must not hold the loop either
	}
	return err
}

// admit is how what consists of several calls begins, or of none: what it fails with
// where no call would succeed. It may be called wherever do may.
func (sd *side) admit() error {
	c := sd.h.s.Running()
	if c == nil {
		return sd.refuse()
	}
	err := sd.enter(c, false)
	if err == nil {
		c.Spend(1)
	}
	return err
}

// wait suspends c until q has completed.
func (sd *side) wait(c *scheduler.Coroutine, q *op) error {
	sd.list(q)
	defer sd.leave(q) // also where a callback has called runtime.Goexit meanwhile
	var waitErr error
	if q.calm {
		waitErr = waitCalmly(c, q)
	} else {
		waitErr = c.Wait(q)
	}
	done, err := q.Done()
	if done {
		if waitErr != err && !q.calm {
			c.InterruptNext() // nothing that has come is lost to an interruption
		}
		return sd.verdict(q, err)
	}
	q.Cancel()
	for done, _ = q.Done(); !done; done, _ = q.Done() {
		// Work on a file that has begun comes to its end, and has the buffer until then.
		if c.Wait(q) != nil {
			break
		}
	}
	return waitErr
}

// waitCalmly is a function of its own for the sake of wait's frame.
//
//go:noinline
func waitCalmly(c *scheduler.Coroutine, q *op) error {
	_, err := scheduler.Suspend(context.WithoutCancel(c), q)
	return err
}

// leave undoes list, and takes nothing more: what comes is for others.
func (sd *side) leave(q *op) {
	q.Cancel()
	sd.unlist(q)
}

// verdict is what err, with which q has completed, means to the caller.
func (sd *side) verdict(q *op, err error) error {
	switch {
	case q.late && err != nil:
		return os.ErrDeadlineExceeded
	case err == nil && (q.kind == read || q.kind == receive) && sd.h.closed.Load():
		return net.ErrClosed // closed while the reader was about to run
	}
	return err
}

// refuse is why no operation may begin, nil where one may.
func (sd *side) refuse() error {
	if sd.h.closed.Load() {
		return net.ErrClosed
	}
	if sd.expired() {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// list adds q to those who wait, for the deadline to find.
func (sd *side) list(q *op) {
	q.prev, q.next = nil, sd.first
	if sd.first != nil {
		sd.first.prev = q
	}
	sd.first = q
	sd.waiting.Add(1)
	sd.arm()
}

func (sd *side) unlist(q *op) {
	if q.prev == nil {
		sd.first = q.next
	} else {
		q.prev.next = q.next
	}
	if q.next != nil {
		q.next.prev = q.prev
	}
	q.next, q.prev = nil, nil
	sd.waiting.Add(-1)
}
