//go:build linux

package reactor_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor"
)

// attempt starts a call of try on h.
func attempt(h *reactor.IO, mode reactor.Mode, try func(fd int) (int, error)) *reactor.Request {
	q := new(reactor.Request)
	h.TryWith(q, mode, try)
	return q
}

func TestTryIsMadeAgainWhenReady(t *testing.T) {
	r := newReactor(t)
	a, b := socketPair(t, r)
	calls := 0
	buf := make([]byte, 16)
	q := attempt(b, reactor.Readable, func(fd int) (int, error) {
		require.Equal(t, b.Fd(), fd)
		calls++
		n, err := unix.Read(fd, buf)
		return max(n, 0), err
	})
	done, _ := q.Done()
	require.False(t, done)
	require.True(t, r.Alive())
	require.Contains(t, q.String(), "tcp call")
	require.Zero(t, look(t, r))
	require.Equal(t, 1, calls)
	require.NoError(t, finish(t, r, a.Write([]byte("hello"))))
	require.NoError(t, finish(t, r, q))
	require.Equal(t, 2, calls)
	require.Equal(t, "hello", string(buf[:q.N()]))
	require.False(t, r.Alive())

	require.NoError(t, finish(t, r, a.Write([]byte("there"))))
	q = attempt(b, reactor.Readable, func(fd int) (int, error) { return unix.Read(fd, buf) })
	done, err := q.Done()
	require.True(t, done, "what is there needs no waiting")
	require.NoError(t, err)
	require.Equal(t, 5, q.N())
}

func TestTryCountsWhatIsDoneInParts(t *testing.T) {
	r := newReactor(t)
	a, b := socketPair(t, r)
	const all = 4 << 20 // which no buffer holds
	left := all
	q := attempt(a, reactor.Writable, func(fd int) (did int, err error) {
		for left > 0 {
			n, err := unix.Write(fd, make([]byte, left))
			if err != nil {
				return did, err
			}
			did, left = did+n, left-n
		}
		return did, nil
	})
	require.Equal(t, all-left, q.N())
	after := a.Write([]byte("x")) // has its turn when the call has come to its end
	got := 0
	for buf := make([]byte, 1<<20); got < all+1; {
		rq := b.Read(buf)
		require.NoError(t, finish(t, r, rq))
		got += rq.N()
		if q.N() < all {
			done, _ := after.Done()
			require.False(t, done)
		}
	}
	require.NoError(t, finish(t, r, q))
	require.NoError(t, finish(t, r, after))
	require.Equal(t, all, q.N())
}

func TestTryEnds(t *testing.T) {
	r := newReactor(t)
	a, _ := socketPair(t, r)
	own := errors.New("of the caller's own")
	q := attempt(a, reactor.Writable, func(int) (int, error) { return 3, own })
	require.Equal(t, own, finish(t, r, q))
	require.Equal(t, 3, q.N())
	never := func(int) (int, error) { return 1, unix.EAGAIN }
	q = attempt(a, reactor.Writable, never)
	q.Cancel()
	require.ErrorIs(t, finish(t, r, q), context.Canceled)
	require.Equal(t, 1, q.N())
	require.Panics(t, func() { attempt(a, reactor.Readable|reactor.Writable, never) })
	require.Panics(t, func() { attempt(a, 0, never) })

	f, _ := tempFile(t, r)
	require.ErrorIs(t, finish(t, r, attempt(f, reactor.Readable, never)), unix.EOPNOTSUPP)

	q = attempt(a, reactor.Readable, never)
	require.NoError(t, finish(t, r, a.Close()))
	require.ErrorIs(t, finish(t, r, q), net.ErrClosed)
	require.ErrorIs(t, finish(t, r, attempt(a, reactor.Readable, func(int) (int, error) { return 0, io.EOF })), net.ErrClosed)
}
