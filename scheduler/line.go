package scheduler

import "context"

// line is a queue of coroutines that wait for something to be handed to them:
// first come, first served. It belongs to the loop.
//
// What is granted belongs to the waiter from that moment, before it runs. A
// waiter that is cancelled between the two must pass it on; wait says so. One
// that was cancelled before is passed over, though it has not left the line yet.
type line[T any] struct {
	s           *Scheduler
	first, last *ticket[T]
	idle        *ticket[T] // for the next to come
	idleLen     int
}

// ticket is a place in a line.
type ticket[T any] struct {
	c          *Coroutine
	next, prev *ticket[T]
	granted    bool
	v          T // what is offered, or handed over
}

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

// wait parks c at the end of the line, offering v, until it is granted something,
// ctx ends, or it is woken otherwise. Where granted comes with an error, the
// coroutine must pass on what it was granted.
func (l *line[T]) wait(ctx context.Context, c *Coroutine, v T, what string) (got T, granted bool, err error) {
	t := l.take()
	t.c, t.v = c, v
	t.prev = l.last
	if l.last == nil {
		l.first = t
	} else {
		l.last.next = t
	}
	l.last = t
	err = c.park(ctx, what)
	if !t.granted {
		l.remove(t)
	}
	got, granted = t.v, t.granted
	l.give(t)
	return got, granted, err
}

// front is the first that still waits, nil for none.
func (l *line[T]) front() *ticket[T] {
	t := l.first
	for t != nil && t.c.state != Suspended {
		t = t.next
	}
	return t
}

// grant hands v to t and takes it out of the line.
func (l *line[T]) grant(t *ticket[T], v T) {
	l.remove(t)
	t.granted, t.v = true, v
	t.c.wake(nil)
}

// fail wakes everybody with err.
func (l *line[T]) fail(err error) {
	for t := l.first; t != nil; t = t.next {
		if t.c.state == Suspended {
			t.c.wake(err)
		}
	}
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
}

func (l *line[T]) take() *ticket[T] {
	t := l.idle
	if t == nil {
		return &ticket[T]{}
	}
	l.idle, t.next = t.next, nil
	l.idleLen--
	return t
}

func (l *line[T]) give(t *ticket[T]) {
	if l.idleLen >= maxIdle {
		return
	}
	*t = ticket[T]{next: l.idle}
	l.idle = t
	l.idleLen++
}
