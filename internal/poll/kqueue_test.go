//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package poll_test

import (
	"io"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/poll"
)

// script is a Kernel that notes each change and answers as it is told.
type script struct {
	changes []poll.Kevent
	fails   map[poll.Filter]syscall.Errno // adding fails
	events  [][]poll.Kevent               // one batch a wait
	pokes   int
	drains  int
	renewed int
	closed  bool
}

const wakeFd = 1000

func (s *script) Kevent(c *poll.Kevent, events []poll.Kevent, _ time.Duration) (int, syscall.Errno) {
	if c != nil {
		s.changes = append(s.changes, *c)
		if c.Flags&poll.FlagAdd != 0 && c.Fd != wakeFd {
			return 0, s.fails[c.Filter]
		}
		if c.Flags&poll.FlagDelete != 0 {
			return 0, syscall.ENOENT // gone already; must be no concern
		}
		return 0, 0
	}
	if len(s.events) == 0 {
		return 0, 0
	}
	n := copy(events, s.events[0])
	s.events = s.events[1:]
	return n, 0
}

func (s *script) Renew() syscall.Errno { s.renewed++; return 0 }
func (s *script) Fd() int              { return -1 }
func (s *script) WakeFd() int          { return wakeFd }
func (s *script) Poke()                { s.pokes++ }
func (s *script) Drain()               { s.drains++ }
func (s *script) Close()               { s.closed = true }

// taken returns the changes since the last call.
func (s *script) taken() []poll.Kevent {
	c := s.changes
	s.changes = nil
	return c
}

type owner struct{ done []*poll.Op }

func (o *owner) Completed(op *poll.Op) { o.done = append(o.done, op) }

func newScripted(t *testing.T) (*script, poll.Backend, *owner) {
	s := &script{fails: map[poll.Filter]syscall.Errno{}}
	b, errno := poll.NewKqueue(s)
	require.Zero(t, errno)
	require.Equal(t, []poll.Kevent{{Fd: wakeFd, Filter: poll.FilterRead, Flags: poll.FlagAdd | poll.FlagClear}}, s.taken())
	return s, b, &owner{}
}

// pipe is a non-blocking pipe whose ends are ours.
func pipe(t *testing.T) (rd, wr int) {
	t.Helper()
	var p [2]int
	require.NoError(t, syscall.Pipe(p[:]))
	for _, fd := range p {
		require.NoError(t, syscall.SetNonblock(fd, true))
		t.Cleanup(func() { _ = syscall.Close(fd) })
	}
	return p[0], p[1]
}

func TestKqueueRegistersOnlyWhatIsWantedOnce(t *testing.T) {
	s, b, o := newScripted(t)
	rd, wr := pipe(t)
	d := b.Attach(rd, poll.Traits{})
	require.Empty(t, s.taken())
	op := &poll.Op{Kind: poll.Read, Buf: make([]byte, 8), Owner: o}
	require.False(t, b.Submit(d, op))
	require.Empty(t, s.taken(), "until the next wait")
	require.NoError(t, b.Wait(0))
	add := s.taken()
	require.Len(t, add, 1, "a read end of a pipe has no writing filter")
	require.Equal(t, poll.FilterRead, add[0].Filter)
	require.Equal(t, poll.FlagAdd|poll.FlagClear, add[0].Flags)
	for range 3 {
		_, err := syscall.Write(wr, []byte("x"))
		require.NoError(t, err)
		s.events = append(s.events, []poll.Kevent{{Fd: rd, Filter: poll.FilterRead, Tag: add[0].Tag, Data: 1}})
		require.NoError(t, b.Wait(0))
		b.Deliver()
		require.Equal(t, 1, op.N)
		require.False(t, b.Submit(d, op))
	}
	require.Len(t, o.done, 3)
	require.Empty(t, s.taken(), "registered once")
	require.True(t, b.Detach(d))
	require.ErrorIs(t, op.Err, net.ErrClosed)
	gone := s.taken()
	require.Len(t, gone, 1)
	require.Equal(t, poll.FlagDelete, gone[0].Flags)
	require.False(t, b.Detach(d))
}

func TestKqueueStaleEventIsDropped(t *testing.T) {
	s, b, o := newScripted(t)
	rd, wr := pipe(t)
	old := b.Attach(rd, poll.Traits{})
	require.False(t, b.Submit(old, &poll.Op{Kind: poll.Read, Buf: make([]byte, 8), Owner: o}))
	require.NoError(t, b.Wait(0))
	tag := s.taken()[0].Tag
	b.Detach(old)
	d := b.Attach(rd, poll.Traits{})
	op := &poll.Op{Kind: poll.Read, Buf: make([]byte, 8), Owner: o}
	require.False(t, b.Submit(d, op))
	require.NoError(t, b.Wait(0))
	fresh := s.changes[len(s.changes)-1].Tag
	require.NotEqual(t, tag, fresh)
	_, err := syscall.Write(wr, []byte("x"))
	require.NoError(t, err)
	s.events = [][]poll.Kevent{{{Fd: rd, Filter: poll.FilterRead, Tag: tag}}}
	require.NoError(t, b.Wait(0))
	b.Deliver()
	require.Zero(t, op.N, "the event was about the former registration")
	s.events = [][]poll.Kevent{{{Fd: rd, Filter: poll.FilterRead, Tag: fresh}}}
	require.NoError(t, b.Wait(0))
	b.Deliver()
	require.Equal(t, 1, op.N)
}

// EV_EOF of the reading filter comes with data: all of it is read, and then
// only is it the end.
func TestKqueueEndWithDataLeft(t *testing.T) {
	for _, fflags := range []uint32{0, uint32(syscall.ECONNRESET)} {
		s, b, o := newScripted(t)
		var p [2]int
		require.NoError(t, syscall.Pipe(p[:]))
		rd, wr := p[0], p[1]
		require.NoError(t, syscall.SetNonblock(rd, true))
		d := b.Attach(rd, poll.Traits{ShortIsDrained: true})
		op := &poll.Op{Kind: poll.Read, Buf: make([]byte, 8), Owner: o}
		require.False(t, b.Submit(d, op))
		require.NoError(t, b.Wait(0))
		_, err := syscall.Write(wr, []byte("last"))
		require.NoError(t, err)
		require.NoError(t, syscall.Close(wr))
		s.events = [][]poll.Kevent{{{Fd: rd, Filter: poll.FilterRead, Flags: poll.FlagEOF, Fflags: fflags, Tag: s.changes[0].Tag}}}
		require.NoError(t, b.Wait(0))
		b.Deliver()
		require.NoError(t, op.Err)
		require.Equal(t, 4, op.N)
		require.True(t, b.Submit(d, op), "what follows a short read is asked for at once")
		require.Equal(t, io.EOF, op.Err)
		require.Zero(t, op.N)
		require.NoError(t, syscall.Close(rd))
	}
}

func TestKqueuePollsAreLevelTriggered(t *testing.T) {
	s, b, o := newScripted(t)
	rd, _ := pipe(t)
	own := b.Attach(rd, poll.Traits{})
	read := &poll.Op{Kind: poll.Read, Buf: make([]byte, 8), Owner: o}
	require.False(t, b.Submit(own, read))
	require.NoError(t, b.Wait(0))
	s.taken()
	d := b.Share(rd)
	op := &poll.Op{Kind: poll.Poll, Mode: poll.In, Owner: o}
	require.False(t, b.Submit(d, op))
	got := s.taken()
	require.Len(t, got, 2, "the edge-triggered kevent makes room for the other one")
	require.Equal(t, poll.FlagDelete, got[0].Flags)
	require.Equal(t, poll.FlagAdd, got[1].Flags)
	b.Cancel(op, net.ErrClosed)
	b.Release(d)
	require.NoError(t, b.Wait(0))
	got = s.taken()
	require.True(t, slices.ContainsFunc(got, func(k poll.Kevent) bool { return k.Flags == poll.FlagAdd|poll.FlagClear }), "and back")
}

func TestKqueueRegistrationThatFails(t *testing.T) {
	s, b, o := newScripted(t)
	rd, _ := pipe(t)
	s.fails[poll.FilterWrite] = syscall.EPIPE
	d := b.Share(rd)
	op := &poll.Op{Kind: poll.Poll, Mode: poll.In | poll.Out, Owner: o}
	require.True(t, b.Submit(d, op))
	require.ErrorIs(t, op.Err, syscall.EPIPE)
	got := s.taken()
	require.Equal(t, poll.FlagDelete, got[len(got)-2].Flags)
	require.Equal(t, poll.FilterRead, got[len(got)-2].Filter, "nothing is left half registered")
	b.Release(d)
	require.Empty(t, o.done)
	require.False(t, b.Busy())
}

func TestKqueueWakes(t *testing.T) {
	s, b, _ := newScripted(t)
	b.Wake()
	require.Equal(t, 1, s.pokes)
	s.events = [][]poll.Kevent{{{Fd: wakeFd, Filter: poll.FilterRead}}}
	require.NoError(t, b.Wait(-1))
	require.Equal(t, 1, s.drains)
	b.Close()
	b.Close()
	b.Wake()
	require.Equal(t, 1, s.pokes, "nothing reaches a closed backend")
	require.True(t, s.closed)
}
