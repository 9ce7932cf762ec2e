package scheduler

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/internal/ring"
)

// Channel carries values between coroutines of one scheduler, first come first
// served on both sides. It belongs to the loop; between loops, and to other
// goroutines, there are Go's own channels, behind [Offload].
//
// A value is in exactly one place: with its sender until it has been taken, then
// in the buffer or with the receiver it was handed to. A receiver that is
// cancelled after that and before it runs has its value go to the next, or back
// to where it was: before all that were sent later.
type Channel[T any] struct {
	s        *Scheduler
	capacity int
	closed   error // what Send fails with, nil while open

	// Receivers wait only while the buffer is empty, senders only while it is full.
	// The buffer begins with the values that came back, and more than capacity are in
	// it only because of those.
	buf       ring.Ring[T]
	back      []uint64 // the order of each value that came back
	senders   line[T]
	receivers line[T]
}

// NewChannel returns a channel with room for capacity values; with none, a Send
// waits for its Recv. It panics where capacity is negative or ctx belongs to no
// coroutine. It never suspends.
func NewChannel[T any](ctx context.Context, capacity int) *Channel[T] {
	c := current(ctx)
	if c == nil {
		misuse("NewChannel with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	if capacity < 0 {
		misuse("NewChannel with a capacity of %d", capacity)
	}
	ch := &Channel[T]{s: c.s, capacity: capacity}
	ch.receivers.owner = ch
	return ch
}

// begin is what Send and Recv begin with.
func (ch *Channel[T]) begin(ctx context.Context) (*Coroutine, error) {
	if c, bare := ctx.(*Coroutine); bare && c.gid.Load() == gid.Get() && c.state == Running && c.s == ch.s && !c.hasEnded() {
		return c, nil
	}
	c, err := own(ctx)
	if err != nil {
		return nil, err
	}
	if c.s != ch.s {
		return nil, ErrForeignGoroutine
	}
	return c, c.ended(ctx)
}

// Send hands v to the first receiver, or puts it into the buffer, or waits until
// it can do one of the two. It has succeeded once its value was taken, also where
// ctx ends before it returns. Where it fails nobody has got v: with the error of
// the end of ctx, or with one that matches [ErrChannelClosed] and Close's reason.
func (ch *Channel[T]) Send(ctx context.Context, v T) error {
	c, err := ch.begin(ctx)
	if err != nil {
		return err
	}
	if ch.closed != nil {
		return ch.closed
	}
	if ch.trySend(v) {
		return nil
	}
	_, err = ch.senders.wait(ctx, c, v, channelSend)
	return err
}

// Recv returns the first value, waiting for one. Where it fails no value is lost:
// with the error of the end of ctx, or, once the channel is closed and drained,
// with one that matches [ErrChannelClosed] and Close's reason.
func (ch *Channel[T]) Recv(ctx context.Context) (v T, err error) {
	c, err := ch.begin(ctx)
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
	return ch.receivers.wait(ctx, c, v, channelReceive)
}

// TrySend is Send where that need not wait; it reports whether v was sent. It
// never suspends, and panics off the loop.
func (ch *Channel[T]) TrySend(v T) bool {
	ch.s.mustLoop("Channel.TrySend")
	return ch.closed == nil && ch.trySend(v)
}

// TryRecv is Recv where that need not wait; ok reports whether v was received. It
// never suspends, and panics off the loop.
func (ch *Channel[T]) TryRecv() (v T, ok bool) {
	ch.s.mustLoop("Channel.TryRecv")
	return ch.tryRecv()
}

// trySend is TrySend on a channel that is open.
func (ch *Channel[T]) trySend(v T) bool {
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
		if len(ch.back) > 0 {
			ch.back = ch.back[1:]
		}
		if t := ch.sender(); t != nil && ch.buf.Len() < ch.capacity {
			ch.buf.PushBack(t.v)
			ch.senders.grant(t, t.v)
		}
		return v, true
	}
	if t := ch.sender(); t != nil {
		v = t.v
		ch.senders.grant(t, v)
		return v, true
	}
	return v, false
}

// sender is the first of those who wait to send, nil for none.
func (ch *Channel[T]) sender() *ticket[T] {
	if ch.closed != nil {
		return nil // they are about to fail
	}
	return ch.senders.front()
}

// takeBack implements owner: t's receiver cannot have its value. It goes to the
// next in line, or before all that were sent after it.
func (ch *Channel[T]) takeBack(t *ticket[T]) {
	v, order := t.v, t.order
	if next := ch.receivers.front(); next != nil {
		ch.receivers.grantAgain(next, v, order)
		return
	}
	at, _ := slices.BinarySearch(ch.back, order)
	ch.back = slices.Insert(ch.back, at, order)
	ch.buf.PushFront(v)
	for i := range at {
		ch.buf.Swap(i, i+1)
	}
}

// Close ends sending: every Send fails from now on, those that wait included, and
// Recv fails when the buffer has been drained, with an error that matches
// [ErrChannelClosed] and reason, where that is not nil. A second Close does
// nothing. It never suspends, and panics off the loop.
func (ch *Channel[T]) Close(reason error) {
	ch.s.mustLoop("Channel.Close")
	if ch.closed != nil {
		return
	}
	ch.closed = ErrChannelClosed
	if reason != nil && !errors.Is(reason, ErrChannelClosed) {
		ch.closed = &closedError{reason}
	}
	ch.senders.close(ch.closed)
	ch.receivers.close(ch.closed)
}

// closedError is ErrChannelClosed with a reason.
type closedError struct{ reason error }

func (e *closedError) Error() string        { return ErrChannelClosed.Error() + ": " + e.reason.Error() }
func (e *closedError) Is(target error) bool { return target == ErrChannelClosed }
func (e *closedError) Unwrap() error        { return e.reason }

// All receives until the channel is closed and drained, or ctx ends; it suspends
// between the values. Breaking off loses nothing.
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

// Len is the number of values in the buffer: those that a Recv gets without
// waiting for a sender. On the loop only.
func (ch *Channel[T]) Len() int { return ch.buf.Len() }

// Cap is the capacity that the channel was made with. Safe from any goroutine.
func (ch *Channel[T]) Cap() int { return ch.capacity }
