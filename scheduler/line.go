package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/coro"
)

// line is a queue of coroutines that wait for something to be handed to them:
// first come, first served. It belongs to the loop.
//
// What is granted belongs to the waiter from that moment, before it runs. Where
// its waiting fails all the same, because it was cancelled between the two, the
// owner has the grant back at once, to pass it on.
//
// Invariants: a ticket is listed until it is granted or its coroutine has left; a
// coroutine with a listed ticket is Suspended, or about to be, or Ready and about
// to leave or to wait again.
type line[T any] struct {
	s           *Scheduler
	owner       owner[T] // nil where a grant stands whatever comes
	first, last *ticket[T]
	grants      uint64 // so far
	closed      error  // why nobody waits any more, nil while they may
	idle        *ticket[T]
	idleLen     int
}

// owner is what has the line, and takes back what a waiter was granted and cannot
// have.
type owner[T any] interface {
	takeBack(t *ticket[T])
}

// ticket is a place in a line.
type ticket[T any] struct {
	c          *Coroutine
	line       *line[T]
	next, prev *ticket[T]
	listed     bool
	granted    bool
	order      uint64 // of the grants: what was granted first has the least
	v          T      // what is offered, or handed over
}

// promise is what a coroutine that is ready was granted and has not got yet.
type promise interface{ breakOff() }

// join makes the line c's scheduler's, and fails where it is another's.
func (l *line[T]) join(c *Coroutine) error {
	if l.s == nil {
		l.s = c.s
	}
	if l.s != c.s {
		return ErrForeignGoroutine
	}
	return nil
}

// enter is what a method of o, which has the line, begins with that may wait: it
// returns the coroutine that calls, and fails where ctx has ended.
func (l *line[T]) enter(ctx context.Context, o owner[T]) (*Coroutine, error) {
	c, err := own(ctx)
	if err != nil {
		return nil, err
	}
	l.owner = o
	if err := l.join(c); err != nil {
		return nil, err
	}
	return c, c.ended(ctx)
}

// mustLoop panics where the caller is not on the line's loop; a line nobody has
// joined has none.
func (l *line[T]) mustLoop(what string) {
	if l.s != nil {
		l.s.mustLoop(what)
	}
}

// wait parks c at the end of the line, offering v, until it is granted something,
// ctx ends, or the line is closed. Woken for any other reason it waits on, in its
// place. It fails exactly where nothing was granted.
//
// It is written flat, as Yield is: each function between the caller and the swap
// costs some nanoseconds.
func (l *line[T]) wait(ctx context.Context, c *Coroutine, v T, want want) (got T, err error) {
	t := l.take()
	t.c, t.v = c, v
	l.append(t)
	k := c.carrier
	for {
		if err = c.listen(ctx); err == nil { // park and giveWay, written out
			k.wants = want
			c.state, k.since = Suspended, c.s.tick.stamp
			if to := c.s.leave(c); to != nil {
				meant := false
				if slot := coro.Park(&c.stack.Context, to); slot.Odd() {
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
			k.wants = noWant
			k.unlisten()
			err = c.awoken()
		}
		if t.granted {
			k.promise = nil
			if err != nil {
				c.InterruptNext()
			}
			got, err = t.v, nil
			break
		}
		if err == nil {
			err = l.closed
		}
		if err != nil {
			if t.listed {
				l.remove(t)
			}
			break
		}
	}
	l.give(t)
	return got, err
}

// front is the first that can be granted something, nil for none. Those before it
// that are leaving are taken out.
func (l *line[T]) front() *ticket[T] {
	for t := l.first; t != nil; t = l.first {
		if t.c.wakeErr == nil && t.c.state != Finished {
			return t
		}
		l.remove(t)
	}
	return nil
}

// grant hands v to t and takes it out of the line.
func (l *line[T]) grant(t *ticket[T], v T) {
	l.grants++
	l.grantAgain(t, v, l.grants)
}

// grantAgain is grant for what was granted before and taken back.
func (l *line[T]) grantAgain(t *ticket[T], v T, order uint64) {
	l.remove(t)
	t.granted, t.v, t.order = true, v, order
	c := t.c
	if l.owner != nil {
		c.carrier.promise = t
	}
	if c.state == Suspended { // else it is awake, for another reason, and will see
		c.wake(nil)
	}
}

// breakOff takes back what t was granted; its coroutine will find that it got
// nothing.
func (t *ticket[T]) breakOff() {
	t.granted = false
	t.line.owner.takeBack(t)
}

// close ends the waiting of all, and of those to come, with err.
func (l *line[T]) close(err error) {
	l.closed = err
	for t := l.first; t != nil; t = t.next {
		if t.c.state == Suspended {
			t.c.wake(nil)
		}
	}
}

func (l *line[T]) append(t *ticket[T]) {
	t.listed = true
	t.prev = l.last
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
}

func (l *line[T]) remove(t *ticket[T]) {
	if t.prev == nil {
		l.first = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		l.last = t.prev
	} else {
		t.next.prev = t.prev
	}
	t.next, t.prev = nil, nil
	t.listed = false
}

// take returns a ticket: those of a line are used again.
func (l *line[T]) take() *ticket[T] {
	t := l.idle
	if t == nil {
		return &ticket[T]{line: l}
	}
	l.idle, t.next = t.next, nil
	l.idleLen--
	return t
}

func (l *line[T]) give(t *ticket[T]) {
	if l.idleLen >= maxIdle {
		return
	}
	var none T
	t.c, t.v, t.granted, t.next = nil, none, false, l.idle
	l.idle = t
	l.idleLen++
}
