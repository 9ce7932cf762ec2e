//go:build linux

package reactor_test

import (
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor"
)

func rawPair(t testing.TB) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fds[0]); _ = unix.Close(fds[1]) })
	return fds[0], fds[1]
}

func newPoll(t testing.TB, r *reactor.Reactor, fd int, mode reactor.Mode) *reactor.Poll {
	t.Helper()
	p, err := r.NewPoll(fd, mode)
	require.NoError(t, err)
	return p
}

func send(t testing.TB, fd int, s string) {
	t.Helper()
	_, err := unix.Write(fd, []byte(s))
	require.NoError(t, err)
}

func TestPollIsLevelTriggered(t *testing.T) {
	r := newReactor(t)
	a, b := rawPair(t)
	p := newPoll(t, r, a, reactor.Readable)
	n := count(p)
	mustStart(t, p)
	require.Zero(t, look(t, r))
	send(t, b, "x")
	for i := range 3 {
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, i+1, *n)
	}
	_, err := unix.Read(a, make([]byte, 8))
	require.NoError(t, err)
	require.Zero(t, look(t, r))
	require.True(t, r.Alive())
	p.Stop()
	require.False(t, r.Alive())
}

func TestManyPollsOfOneDescriptor(t *testing.T) {
	r := newReactor(t)
	a, b := rawPair(t)
	rd := newPoll(t, r, a, reactor.Readable)
	wr := newPoll(t, r, a, reactor.Writable)
	both := newPoll(t, r, a, reactor.Readable|reactor.Writable)
	nr, nw, nb := count(rd), count(wr), count(both)
	mustStart(t, rd)
	mustStart(t, wr)
	mustStart(t, both)
	require.Equal(t, 2, look(t, r))
	require.Equal(t, []int{0, 1, 1}, []int{*nr, *nw, *nb})
	wr.Stop()
	send(t, b, "x")
	require.Equal(t, 2, look(t, r))
	require.Equal(t, []int{1, 1, 2}, []int{*nr, *nw, *nb})
	both.Stop()
	rd.Stop()
	require.Zero(t, look(t, r))
	mustStart(t, rd)
	require.Equal(t, 1, look(t, r), "started again, it sees what is still there")
	require.Equal(t, "poll read of descriptor "+strconv.Itoa(a), rd.String())
}

func TestHangUpFiresEveryPoll(t *testing.T) {
	r := newReactor(t)
	var fds [2]int
	require.NoError(t, unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_NONBLOCK))
	defer unix.Close(fds[1])
	for buf := make([]byte, 1<<20); ; {
		if _, err := unix.Write(fds[1], buf); err != nil {
			break
		}
	}
	p := newPoll(t, r, fds[1], reactor.Readable)
	q := newPoll(t, r, fds[1], reactor.Writable)
	np, nq := count(p), count(q)
	mustStart(t, p)
	mustStart(t, q)
	require.Zero(t, look(t, r))
	require.NoError(t, unix.Close(fds[0]))
	require.Equal(t, 2, look(t, r))
	require.Equal(t, []int{1, 1}, []int{*np, *nq})
	p.Stop()
	q.Stop()
}

func TestPollStoppedFromWithin(t *testing.T) {
	r := newReactor(t)
	a, b := rawPair(t)
	first, second := newPoll(t, r, a, reactor.Readable), newPoll(t, r, a, reactor.Readable)
	first.Subscribe(func(error) { first.Stop(); second.Stop() })
	n := count(second)
	mustStart(t, first)
	mustStart(t, second)
	send(t, b, "x")
	require.Equal(t, 1, execute(t, r))
	require.Zero(t, *n)
	require.False(t, r.Alive())
	require.Zero(t, look(t, r))
}

func TestPollRefusesWhatCannotBe(t *testing.T) {
	r := newReactor(t)
	_, err := r.NewPoll(-1, reactor.Readable)
	require.ErrorIs(t, err, unix.EBADF)
	for _, m := range []reactor.Mode{0, 4, 7} {
		_, err = r.NewPoll(0, m)
		require.ErrorIs(t, err, unix.EINVAL)
	}
	f, err := os.Open(os.Args[0])
	require.NoError(t, err)
	defer f.Close()
	p := newPoll(t, r, int(f.Fd()), reactor.Readable)
	require.ErrorIs(t, p.Start(), unix.EPERM, "a regular file is always ready")
	require.False(t, r.Alive())
	p.Stop()
	require.Equal(t, "read+write", (reactor.Readable | reactor.Writable).String())
}

func TestPollBesideAHandle(t *testing.T) {
	r := newReactor(t)
	a, b := socketPair(t, r)
	p := newPoll(t, r, a.Fd(), reactor.Readable)
	n := count(p)
	mustStart(t, p)
	q := a.Read(make([]byte, 8))
	require.NoError(t, finish(t, r, b.Write([]byte("x"))))
	require.NoError(t, finish(t, r, q))
	require.Equal(t, 1, *n)
	var got error
	p.Subscribe(func(err error) { got = err })
	require.NoError(t, finish(t, r, a.Close()))
	require.ErrorIs(t, got, net.ErrClosed, "the owner has closed the descriptor")
	require.False(t, r.Alive())
	p.Stop()
}
