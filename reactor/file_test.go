//go:build linux

package reactor_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor"
)

// newFile makes a handle of an open file, which it closes.
func newFile(t testing.TB, r *reactor.Reactor, f *os.File) *reactor.IO {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return newIO(t, r, fd, reactor.File)
}

func tempFile(t testing.TB, r *reactor.Reactor) (*reactor.IO, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	return newFile(t, r, f), name
}

func TestFileOperationsKeepTheirOrder(t *testing.T) {
	r := newReactor(t)
	h, name := tempFile(t, r)
	first, second := h.Write([]byte("one ")), h.Write([]byte("two"))
	done, _ := first.Done()
	require.False(t, done, "a file never holds the loop")
	require.True(t, r.Alive())
	require.NoError(t, finish(t, r, first))
	require.NoError(t, finish(t, r, second))
	require.Equal(t, 3, second.N())
	var q reactor.Request
	h.Do(&q, func(fd int) (int, error) {
		_, err := unix.Seek(fd, 0, io.SeekStart)
		return 42, err
	})
	require.Equal(t, "file call descriptor "+strconv.Itoa(h.Fd()), q.String())
	require.NoError(t, finish(t, r, &q))
	require.Equal(t, 42, q.N())
	b := make([]byte, 100)
	rq := h.Read(b)
	require.NoError(t, finish(t, r, rq))
	require.Equal(t, "one two", string(b[:rq.N()]))
	require.Equal(t, io.EOF, finish(t, r, h.Read(b)))
	require.NoError(t, finish(t, r, h.Read(nil)))
	require.NoError(t, finish(t, r, h.Close()))
	require.False(t, r.Alive())
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "one two", string(got))
	h.WriteBuffersWith(&q, nil)
	require.ErrorIs(t, finish(t, r, &q), net.ErrClosed)
}

// gate is a file operation that goes on when it is let.
type gate struct{ entered, leave chan struct{} }

func newGate() gate { return gate{make(chan struct{}), make(chan struct{})} }

func (g gate) pass(int) (int, error) {
	close(g.entered)
	<-g.leave
	return 1, nil
}

func TestFileCancel(t *testing.T) {
	r := newReactor(t)
	h, _ := tempFile(t, r)
	g := newGate()
	var slow reactor.Request
	h.Do(&slow, g.pass)
	<-g.entered
	queued := h.Write([]byte("never"))
	queued.Cancel()
	require.ErrorIs(t, finish(t, r, queued), context.Canceled)
	slow.Cancel()
	done, _ := slow.Done()
	require.False(t, done, "the system still has the buffer")
	close(g.leave)
	require.ErrorIs(t, finish(t, r, &slow), context.Canceled)
	require.Equal(t, 1, slow.N())
	require.False(t, r.Alive())
}

func TestFileClosedWhileAnOperationIsUnderWay(t *testing.T) {
	r := newReactor(t)
	h, name := tempFile(t, r)
	g := newGate()
	var slow reactor.Request
	h.Do(&slow, g.pass)
	<-g.entered
	queued := h.Write([]byte("never"))
	fd := h.Fd()
	cl := h.Close()
	require.Equal(t, "file close descriptor "+strconv.Itoa(fd), cl.String())
	require.ErrorIs(t, finish(t, r, queued), net.ErrClosed)
	done, _ := cl.Done()
	require.False(t, done)
	require.NoError(t, unixCheck(fd), "still in use")
	require.ErrorIs(t, finish(t, r, h.Write(nil)), net.ErrClosed)
	close(g.leave)
	require.NoError(t, finish(t, r, cl))
	require.ErrorIs(t, finish(t, r, &slow), net.ErrClosed)
	require.Equal(t, unix.EBADF, unixCheck(fd))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Empty(t, got)
}

func unixCheck(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err
}

// TestFilesHoldUpNeitherEachOtherNorTheEnd blocks an operation on each of many
// files; others go on, closing the reactor waits for none, and the descriptors
// are closed when the operations end.
func TestFilesHoldUpNeitherEachOtherNorTheEnd(t *testing.T) {
	r := newReactor(t)
	var gates []gate
	var fds []int
	told := 0
	for range 40 { // more than may run at once
		h, _ := tempFile(t, r)
		g := newGate()
		q := new(reactor.Request)
		h.Do(q, g.pass)
		q.Subscribe(func(err error) {
			require.ErrorIs(t, err, net.ErrClosed)
			told++
		})
		gates, fds = append(gates, g), append(fds, h.Fd())
		if len(gates) == 20 {
			other, _ := tempFile(t, r)
			require.NoError(t, finish(t, r, other.Write([]byte("x"))))
		}
	}
	require.NoError(t, r.Close())
	require.Equal(t, 40, told)
	for i, g := range gates {
		if i < 32 {
			close(g.leave)
		}
	}
	for _, fd := range fds {
		for unixCheck(fd) == nil {
			runtime.Gosched()
		}
	}
}

// More operations than may run at once wait for their turn, and all have it.
func TestMoreFilesThanWorkers(t *testing.T) {
	r := newReactor(t)
	var qs []*reactor.Request
	leave := make(chan struct{})
	var running, most atomic.Int32
	for range 50 {
		h, _ := tempFile(t, r)
		q := new(reactor.Request)
		h.Do(q, func(int) (int, error) {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-leave
			running.Add(-1)
			return 0, nil
		})
		qs = append(qs, q)
	}
	close(leave)
	for _, q := range qs {
		require.NoError(t, finish(t, r, q))
	}
	require.LessOrEqual(t, most.Load(), int32(32))
}

func TestFileErrors(t *testing.T) {
	r := newReactor(t)
	dir, err := os.Open(t.TempDir())
	require.NoError(t, err)
	h := newFile(t, r, dir)
	require.ErrorIs(t, finish(t, r, h.Read(make([]byte, 1))), unix.EISDIR)
	q := h.Write([]byte("x"))
	require.ErrorIs(t, finish(t, r, q), unix.EBADF)
	require.Zero(t, q.N())
}

// A handle over something that is no file works for Do, and is freed once, however
// it ends.
func TestNewFileFreesWhatItStandsFor(t *testing.T) {
	for how, end := range map[string]func(t *testing.T, r *reactor.Reactor, h *reactor.IO){
		"closed": func(t *testing.T, r *reactor.Reactor, h *reactor.IO) {
			require.ErrorIs(t, finish(t, r, h.Close()), unix.ENOSPC)
		},
		"with its reactor": func(t *testing.T, r *reactor.Reactor, _ *reactor.IO) {
			require.NoError(t, r.Close())
		},
		"at work": func(t *testing.T, r *reactor.Reactor, h *reactor.IO) {
			begun, release := make(chan struct{}), make(chan struct{})
			var q reactor.Request
			h.Do(&q, func(int) (int, error) { close(begun); <-release; return 0, nil })
			<-begun
			require.NoError(t, r.Close())
			close(release)
		},
	} {
		t.Run(how, func(t *testing.T) {
			r := newReactor(t)
			var p [2]int
			require.NoError(t, unix.Pipe2(p[:], unix.O_CLOEXEC))
			defer unix.Close(p[1])
			freed := make(chan int, 2)
			h, err := r.NewFile(p[0], func(fd int) syscall.Errno {
				_ = unix.Close(fd)
				freed <- fd
				return unix.ENOSPC
			})
			require.NoError(t, err)
			var q reactor.Request
			h.Do(&q, func(fd int) (int, error) { return fd, nil })
			require.NoError(t, finish(t, r, &q))
			require.Equal(t, p[0], q.N())
			end(t, r, h)
			require.Equal(t, p[0], <-freed)
			require.Empty(t, freed)
			_, err = r.NewFile(-1, nil)
			require.Error(t, err)
		})
	}
}
