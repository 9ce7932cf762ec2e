//go:build linux

package poll_test

import (
	"context"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/poll/kqfake"
)

// eachBackend runs f on every backend that this system can have.
func eachBackend(t *testing.T, f func(t *testing.T, b poll.Backend)) {
	for name, open := range map[string]func() (poll.Backend, error){"epoll": poll.Open, "kqueue": kqfake.Open} {
		t.Run(name, func(t *testing.T) {
			b, err := open()
			require.NoError(t, err)
			defer b.Close()
			f(t, b)
		})
	}
}

func pair(t *testing.T) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fds[0]); _ = unix.Close(fds[1]) })
	return fds[0], fds[1]
}

func TestSubmitTriesAtOnce(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		x, y := pair(t)
		d := b.Attach(x, poll.Traits{Socket: true})
		o := &owner{}
		w := &poll.Op{Kind: poll.Write, Buf: []byte("abc"), Owner: o}
		require.True(t, b.Submit(d, w))
		require.Equal(t, 3, w.N)
		require.False(t, b.Busy())
		buf := make([]byte, 8)
		n, err := unix.Read(y, buf)
		require.NoError(t, err)
		require.Equal(t, "abc", string(buf[:n]))
		r := &poll.Op{Kind: poll.Read, Buf: buf, Owner: o}
		require.False(t, b.Submit(d, r))
		require.True(t, b.Busy())
		require.NoError(t, unix.Shutdown(y, unix.SHUT_WR))
		for len(o.done) == 0 {
			require.NoError(t, b.Wait(-1))
			b.Deliver()
		}
		require.Equal(t, io.EOF, r.Err)
		require.False(t, b.Busy())
		require.True(t, b.Detach(d))
		require.True(t, b.Submit(d, r), "refused")
		require.ErrorIs(t, r.Err, net.ErrClosed)
	})
}

func TestCancelTakesOneOfMany(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		x, y := pair(t)
		d := b.Attach(x, poll.Traits{Socket: true})
		o := &owner{}
		var ops []*poll.Op
		for range 3 {
			op := &poll.Op{Kind: poll.Read, Buf: make([]byte, 1), Owner: o}
			require.False(t, b.Submit(d, op))
			ops = append(ops, op)
		}
		b.Cancel(ops[1], context.Canceled)
		b.Cancel(ops[1], net.ErrClosed)
		require.Equal(t, []*poll.Op{ops[1]}, o.done)
		require.Equal(t, context.Canceled, ops[1].Err)
		_, err := unix.Write(y, []byte("12"))
		require.NoError(t, err)
		for len(o.done) < 3 {
			require.NoError(t, b.Wait(-1))
			b.Deliver()
		}
		require.Equal(t, "1", string(ops[0].Buf))
		require.Equal(t, "2", string(ops[2].Buf))
		b.Detach(d)
	})
}

// A number attached again means that its descriptor was closed without a word.
func TestAttachEvictsTheFormerOwner(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		x, _ := pair(t)
		fd, err := unix.Dup(x)
		require.NoError(t, err)
		o := &owner{}
		old := b.Attach(fd, poll.Traits{})
		op := &poll.Op{Kind: poll.Read, Buf: make([]byte, 1), Owner: o}
		require.False(t, b.Submit(old, op))
		require.NoError(t, b.Wait(0))
		u, v := pair(t)
		require.NoError(t, unix.Dup3(u, fd, unix.O_CLOEXEC))
		d := b.Attach(fd, poll.Traits{})
		require.ErrorIs(t, op.Err, net.ErrClosed)
		require.False(t, b.Detach(old), "the descriptor is another's now")
		require.False(t, b.Submit(d, op))
		_, err = unix.Write(v, []byte("x"))
		require.NoError(t, err)
		for len(o.done) < 2 {
			require.NoError(t, b.Wait(-1))
			b.Deliver()
		}
		require.NoError(t, op.Err)
		b.Detach(d)
		require.NoError(t, unix.Close(fd))
	})
}

// panicking owners leave the rest of what was collected to the next Deliver.
type panicking struct{ owner }

func (p *panicking) Completed(op *poll.Op) {
	p.owner.Completed(op)
	panic("boom")
}

func TestDeliverSurvivesAPanic(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		p := &panicking{}
		const many = 5
		for range many {
			x, y := pair(t)
			require.False(t, b.Submit(b.Attach(x, poll.Traits{}), &poll.Op{Kind: poll.Read, Buf: make([]byte, 1), Owner: p}))
			_, err := unix.Write(y, []byte("x"))
			require.NoError(t, err)
		}
		for i := range many {
			require.NoError(t, b.Wait(0))
			require.PanicsWithValue(t, "boom", b.Deliver)
			require.Len(t, p.done, i+1)
		}
		b.Deliver()
		require.False(t, b.Busy())
	})
}

func TestDetachSurvivesAPanic(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		x, _ := pair(t)
		d := b.Attach(x, poll.Traits{})
		p := &panicking{}
		for range 3 {
			require.False(t, b.Submit(d, &poll.Op{Kind: poll.Read, Buf: make([]byte, 1), Owner: p}))
		}
		require.Panics(t, func() { b.Detach(d) })
		require.Len(t, p.done, 3)
		require.False(t, b.Busy())
	})
}

func TestOneDescriptorGetsAFairShare(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		x, y := pair(t)
		d := b.Attach(x, poll.Traits{})
		o := &owner{}
		const many = 100
		for range many {
			require.False(t, b.Submit(d, &poll.Op{Kind: poll.Read, Buf: make([]byte, 1), Owner: o}))
		}
		_, err := unix.Write(y, make([]byte, many))
		require.NoError(t, err)
		rounds := 0
		for len(o.done) < many {
			before := len(o.done)
			require.NoError(t, b.Wait(-1))
			b.Deliver()
			require.LessOrEqual(t, len(o.done)-before, 16)
			rounds++
		}
		require.GreaterOrEqual(t, rounds, many/16)
		b.Detach(d)
	})
}

func TestImpossibleKindsPanic(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		x, _ := pair(t)
		d := b.Attach(x, poll.Traits{})
		require.Panics(t, func() { b.Submit(d, &poll.Op{Kind: 99, Owner: &owner{}}) })
	})
}

func TestErrorsNameTheCall(t *testing.T) {
	eachBackend(t, func(t *testing.T, b poll.Backend) {
		rd, _ := pipe(t)
		d := b.Attach(rd, poll.Traits{Socket: true})
		op := &poll.Op{Kind: poll.Accept, Owner: &owner{}}
		require.True(t, b.Submit(d, op))
		require.EqualError(t, op.Err, "accept: "+syscall.ENOTSOCK.Error())
	})
}
