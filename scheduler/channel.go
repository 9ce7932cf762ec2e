package scheduler

import (
	"context"
	"errors"
	"iter"

	"github.com/trueasync/trueasync-go/internal/ring"
)

// Channel carries values between coroutines of one scheduler, first come first
// served on both sides. It belongs to the loop; between loops, and to other
// goroutines, there are Go's own channels, behind [Offload].
//
// A value is in exactly one place: with its sender until Send returns nil, then
// in the buffer or with the receiver it was handed to. A receiver that is
// cancelled after that and before it runs passes the value on to the next.
//
// Invariants: receivers wait only while the buffer is empty, senders only while
// it is full; more than capacity are in the buffer only where a value was passed
// back.
type Channel[T any] struct {
	s         *Scheduler
	capacity  int
	buf       ring.Ring[T]
	senders   line[T]
	receivers line[T]
	closed    error // what Send fails with, nil while open
}

// NewChannel returns a channel with room for capacity values; with none, a Send
// waits for its Recv. It panics where capacity is negative or ctx belongs to no
// coroutine.
func NewChannel[T any](ctx context.Context, capacity int) *Channel[T] {
	c := Current(ctx)
	if c == nil {
		misuse("NewChannel with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	if capacity < 0 {
		misuse("NewChannel with a capacity of %d", capacity)
	}
	return &Channel[T]{s: c.s, capacity: capacity}
}

// ready is what Send and Recv begin with.
func (ch *Channel[T]) ready(ctx context.Context) (*Coroutine, error) {
	c, err := own(ctx)
	if err != nil {
		return nil, err
	}
	if c.s != ch.s {
		return nil, ErrForeignGoroutine
	}
	return c, c.ended(ctx)
}

// Send hands v to the first receiver, or puts it into the buffer, or waits for
// one of the two. Where it fails nobody has got v: with the error of the end of
// ctx, or with one that matches [ErrChannelClosed] and Close's reason.
func (ch *Channel[T]) Send(ctx context.Context, v T) error {
	c, err := ch.ready(ctx)
	if err != nil {
		return err
	}
	if ch.trySend(v) {
		return nil
	}
	if ch.closed != nil {
		return ch.closed
	}
	if _, sent, err := ch.senders.wait(ctx, c, v, "channel send"); !sent {
		return err
	}
	return nil
}

// Recv returns the first value, waiting for one. Where it fails no value is lost:
// with the error of the end of ctx, or, once the channel is closed and drained,
// with one that matches [ErrChannelClosed] and Close's reason.
func (ch *Channel[T]) Recv(ctx context.Context) (v T, err error) {
	c, err := ch.ready(ctx)
	if err != nil {
		return v, err
	}
	v, ok := ch.tryRecv()
	if ok {
		return v, nil
	}
	if ch.closed != nil {
		return v, ch.closed
	}
	got, received, err := ch.receivers.wait(ctx, c, v, "channel receive")
	if received && err != nil {
		ch.passBack(got)
	}
	if err != nil {
		return v, err
	}
	return got, nil
}

// TrySend is Send where that need not wait; it reports whether v was sent. It
// never suspends, and panics off the loop.
func (ch *Channel[T]) TrySend(v T) bool {
	ch.s.mustLoop("Channel.TrySend")
	return ch.trySend(v)
}

// TryRecv is Recv where that need not wait. It never suspends, and panics off the
// loop.
func (ch *Channel[T]) TryRecv() (T, bool) {
	ch.s.mustLoop("Channel.TryRecv")
	return ch.tryRecv()
}

func (ch *Channel[T]) trySend(v T) bool {
	if ch.closed != nil {
		return false
	}
	if t := ch.receivers.front(); t != nil {
		ch.receivers.grant(t, v)
		return true
	}
	if ch.buf.Len() >= ch.capacity {
		return false
	}
	ch.buf.PushBack(v)
	return true
}

func (ch *Channel[T]) tryRecv() (v T, ok bool) {
	if v, ok = ch.buf.PopFront(); ok {
		if t := ch.senders.front(); t != nil && ch.buf.Len() < ch.capacity {
			ch.buf.PushBack(t.v)
			ch.senders.grant(t, t.v)
		}
		return v, true
	}
	if t := ch.senders.front(); t != nil {
		v = t.v
		ch.senders.grant(t, v)
		return v, true
	}
	return v, false
}

// passBack takes a value from a receiver that cannot have it: it goes to the next
// in line, or waits before all others.
func (ch *Channel[T]) passBack(v T) {
	if t := ch.receivers.front(); t != nil {
		ch.receivers.grant(t, v)
		return
	}
	ch.buf.PushFront(v)
}

// Close ends sending: every Send fails from now on, those that wait included, and
// Recv fails when the buffer has been drained, with an error that matches
// [ErrChannelClosed] and reason, where that is not nil. A second Close does
// nothing. It panics off the loop.
func (ch *Channel[T]) Close(reason error) {
	ch.s.mustLoop("Channel.Close")
	if ch.closed != nil {
		return
	}
	ch.closed = ErrChannelClosed
	if reason != nil && !errors.Is(reason, ErrChannelClosed) {
		ch.closed = &closedError{reason}
	}
	ch.senders.fail(ch.closed)
	ch.receivers.fail(ch.closed)
}

// closedError is ErrChannelClosed with a reason.
type closedError struct{ reason error }

func (e *closedError) Error() string        { return ErrChannelClosed.Error() + ": " + e.reason.Error() }
func (e *closedError) Is(target error) bool { return target == ErrChannelClosed }
func (e *closedError) Unwrap() error        { return e.reason }

// All receives until the channel is closed and drained, or ctx ends. Breaking off
// loses nothing.
func (ch *Channel[T]) All(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, err := ch.Recv(ctx)
			if err != nil || !yield(v) {
				return
			}
		}
	}
}

// Len is the number of values in the buffer.
func (ch *Channel[T]) Len() int { return ch.buf.Len() }

// Cap is the capacity.
func (ch *Channel[T]) Cap() int { return ch.capacity }
