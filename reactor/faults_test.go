//go:build linux

package reactor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// Faults that others have shipped, at the level of descriptors. Each test is
// named after the fault's id; those of timers, wake-ups, signals and children
// stand with them. The whole file runs on both backends.
//
// Shown under another name: GO-10 in internal/poll and internal/sys; NB-5 by
// GN-7, NP-9 and LU-8; NP-13 by TestCloseCompletesWhatIsUnderWay; LU-11 and
// TA-18, which Go leaves only inherited descriptors of, by GN-12; TK-7 by
// TestCancelTellsWhatWasDone.
//
// Not to be met at this level: NP-1, NP-2, NB-3 and NB-7, since there are no
// locks, no buffers of our own and no calls from other goroutines; GN-6, NP-6,
// LU-3 and NP-14, since accepting again is the caller's decision, here as in
// the system's call; GO-3 and NB-11, since deadlines are not the reactor's.

// waits counts the waits for descriptors until the test ends.
func waits(t testing.TB) *atomic.Int64 {
	n := new(atomic.Int64)
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallWait {
			n.Add(1)
		}
		return f
	}))
	return n
}

// sameFD opens a socket pair until one end has the number fd.
func sameFD(t testing.TB, fd int) (ours, peer int) {
	t.Helper()
	for {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		require.NoError(t, err)
		for i := range fds {
			if fds[i] == fd {
				return fds[i], fds[1-i]
			}
		}
		t.Cleanup(func() { _ = unix.Close(fds[0]); _ = unix.Close(fds[1]) })
	}
}

// GN-1: when the waiters of a closing handle are called, a write to it must not
// reach whoever has the number next.
func TestFault_GN1_CloseBeforeReuse(t *testing.T) {
	r := newReactor(t)
	a, _ := socketPair(t, r)
	fd := a.Fd()
	var late *reactor.Request
	a.Read(make([]byte, 1)).Subscribe(func(err error) {
		require.ErrorIs(t, err, net.ErrClosed)
		late = a.Write([]byte("late"))
	})
	require.NoError(t, finish(t, r, a.Close()))
	ours, peer := sameFD(t, fd)
	c := newIO(t, r, ours, reactor.TCP)
	defer unix.Close(peer)
	require.ErrorIs(t, finish(t, r, late), net.ErrClosed)
	require.ErrorIs(t, finish(t, r, a.Write([]byte("later"))), net.ErrClosed)
	_, err := unix.Read(peer, make([]byte, 8))
	require.Equal(t, unix.EAGAIN, err, "the newcomer's peer got nothing")
	require.NoError(t, finish(t, r, c.Close()))
}

// GN-2, GO-1, TK-5, TR-1: readiness of A has been collected when A is closed
// and B opened with its number. A's reader gets ErrClosed, B's bytes stay B's.
func TestFault_GN2_ReadinessOfAFormerOwner(t *testing.T) {
	r := newReactor(t)
	a, peerA := rawPair(t)
	dupA, err := unix.Dup(a)
	require.NoError(t, err)
	first, peerFirst := rawPair(t)
	closer := newIO(t, r, must(unix.Dup(first)), reactor.TCP)
	ha := newIO(t, r, dupA, reactor.TCP)
	var hb *reactor.IO
	var peerB int
	// The closer is served first: its callback closes A, whose readiness lies
	// in the same batch, and opens B under A's number.
	closer.Read(make([]byte, 1)).Subscribe(func(error) {
		ha.Close()
		var ours int
		ours, peerB = sameFD(t, dupA)
		hb = newIO(t, r, ours, reactor.TCP)
	})
	bufA := make([]byte, 1)
	qa := ha.Read(bufA)
	require.Zero(t, look(t, r))
	send(t, peerFirst, "x")
	send(t, peerA, "a")
	execute(t, r)
	require.NotNil(t, hb)
	defer unix.Close(peerB)
	require.ErrorIs(t, finish(t, r, qa), net.ErrClosed)
	bufB := make([]byte, 1)
	qb := hb.Read(bufB)
	require.Zero(t, look(t, r), "nothing has come for B")
	send(t, peerB, "b")
	require.NoError(t, finish(t, r, qb))
	require.Equal(t, "b", string(bufB))
	require.Zero(t, bufA[0])
}

func must(fd int, err error) int {
	if err != nil {
		panic(err)
	}
	return fd
}

func TestFault_GO1_StaleEventAfterReuse(t *testing.T) {
	r := newReactor(t)
	for range 100 {
		a, peer := rawPair(t)
		h := newIO(t, r, must(unix.Dup(a)), reactor.TCP)
		fd := h.Fd()
		h.Read(make([]byte, 1))
		require.Zero(t, look(t, r))
		send(t, peer, "x") // lies in the kernel when the handle is closed
		require.NoError(t, finish(t, r, h.Close()))
		ours, peerB := sameFD(t, fd)
		b := newIO(t, r, ours, reactor.TCP)
		q := b.Read(make([]byte, 1))
		require.Zero(t, look(t, r))
		q.Cancel()
		require.NoError(t, finish(t, r, b.Close()))
		require.NoError(t, unix.Close(peerB))
	}
}

func TestFault_TK5_RegisteredAgain(t *testing.T) {
	r := newReactor(t)
	a, peer := rawPair(t)
	for range 10 {
		p := newPoll(t, r, a, reactor.Readable)
		n := count(p)
		mustStart(t, p)
		require.Zero(t, look(t, r))
		send(t, peer, "x")
		execute(t, r)
		require.Equal(t, 1, *n)
		_, err := unix.Read(a, make([]byte, 8))
		require.NoError(t, err)
		p.Stop()
	}
}

// TR-1: a reader is woken, and before whoever waits looks, the handle is
// closed: nothing is read from the number's next owner.
func TestFault_TR1_ClosedBetweenReadinessAndRead(t *testing.T) {
	r := newReactor(t)
	a, peer := socketPair(t, r)
	fd := a.Fd()
	var q reactor.Request
	a.WaitWith(&q, reactor.Readable)
	require.Zero(t, look(t, r))
	require.NoError(t, finish(t, r, peer.Write([]byte("x"))))
	require.NoError(t, finish(t, r, &q))
	require.NoError(t, finish(t, r, a.Close()))
	ours, peerB := sameFD(t, fd)
	defer unix.Close(ours)
	send(t, peerB, "b")
	defer unix.Close(peerB)
	buf := make([]byte, 1)
	require.ErrorIs(t, finish(t, r, a.Read(buf)), net.ErrClosed)
	require.Zero(t, buf[0])
}

// GN-5: work that begets work must not starve a socket. A timer that re-arms
// itself and a woken loop stand for it here.
func TestFault_GN5_EndlessWorkStarvesNoSocket(t *testing.T) {
	r := newReactor(t)
	c, peer := tcpPair(t, r)
	busy := r.NewTimer(0, 0)
	busy.Subscribe(func(error) { r.Wake(); mustStart(t, busy) })
	mustStart(t, busy)
	b := make([]byte, 1)
	for range 100 {
		q := c.Read(b)
		_, err := peer.Write([]byte("x"))
		require.NoError(t, err)
		ticks := 0
		for done, _ := q.Done(); !done; done, _ = q.Done() {
			execute(t, r)
			ticks++
		}
		require.Less(t, ticks, 10_000)
	}
	busy.Stop()
}

// GN-5 the other way: a descriptor with endless data starves neither another
// one nor a timer.
func TestFault_GN5_EndlessDataStarvesNobody(t *testing.T) {
	r := newReactor(t)
	a, b := socketPair(t, r)
	c, d := socketPair(t, r)
	require.NoError(t, finish(t, r, a.Write(make([]byte, 100_000))))
	tm := r.NewTimer(0, 0)
	fired := count(tm)
	var greedy []*reactor.Request
	for range 1000 {
		q := b.Read(make([]byte, 1))
		greedy = append(greedy, q)
	}
	q := d.Read(make([]byte, 1))
	require.NoError(t, finish(t, r, c.Write([]byte("x"))))
	mustStart(t, tm)
	execute(t, r)
	done, _ := q.Done()
	require.True(t, done)
	require.Equal(t, 1, *fired)
	for _, q := range greedy {
		require.NoError(t, finish(t, r, q))
	}
}

// GN-7, NP-4: what was sent just before the end arrives before the end.
func TestFault_GN7_DataBeforeTheEnd(t *testing.T) {
	for range 20 {
		r := newReactor(t)
		c, peer := tcpPair(t, r)
		sent := make([]byte, 1<<20)
		for i := range sent {
			sent[i] = byte(i * 7)
		}
		go func() {
			_, _ = peer.Write(sent)
			_ = peer.Close()
		}()
		var got []byte
		b := make([]byte, 7919)
		var q reactor.Request
		var err error
		for err == nil {
			c.ReadWith(&q, b)
			err = finish(t, r, &q)
			got = append(got, b[:q.N()]...)
		}
		require.Equal(t, io.EOF, err, "the end, and no error of ours")
		require.True(t, bytes.Equal(sent, got))
		c.ReadWith(&q, b)
		require.Equal(t, io.EOF, finish(t, r, &q), "and again")
		require.NoError(t, finish(t, r, c.Close()))
	}
}

func TestFault_NP4_EndThatCameWithTheData(t *testing.T) {
	r := newReactor(t)
	c, peer := tcpPair(t, r)
	q := c.Read(make([]byte, 64))
	require.Zero(t, look(t, r))
	_, err := peer.Write([]byte("last"))
	require.NoError(t, err)
	require.NoError(t, peer.CloseWrite()) // both lie there when the loop looks
	require.NoError(t, finish(t, r, q))
	require.Equal(t, 4, q.N())
	require.Equal(t, io.EOF, finish(t, r, c.Read(make([]byte, 64))), "a short read that hides the end must not hang")
}

// GN-8: a refused write is told on that write; N is within bounds, and short
// only with an error.
func TestFault_GN8_RefusedWrite(t *testing.T) {
	r := newReactor(t)
	c, peer := tcpPair(t, r)
	require.NoError(t, peer.SetLinger(0))
	w := c.Write(make([]byte, 16<<20))
	done, _ := w.Done()
	require.False(t, done)
	require.NoError(t, peer.Close())
	err := finish(t, r, w)
	require.True(t, errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.EPIPE), err)
	require.Positive(t, w.N())
	require.Less(t, w.N(), 16<<20)
	w = c.Write([]byte("x"))
	require.Error(t, finish(t, r, w))
	require.Zero(t, w.N())
}

// GN-10: taking away what the kernel has forgotten is no error and no noise.
func TestFault_GN10_DeregisteredTwice(t *testing.T) {
	r := newReactor(t)
	a, b := rawPair(t)
	fd := must(unix.Dup(a))
	p := newPoll(t, r, fd, reactor.Readable)
	mustStart(t, p)
	require.Zero(t, look(t, r))
	require.NoError(t, unix.Close(fd))
	p.Stop()
	h := newIO(t, r, must(unix.Dup(b)), reactor.TCP)
	h.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	number := h.Fd()
	require.NoError(t, unix.Close(number)) // behind the handle's back
	require.ErrorIs(t, finish(t, r, h.Close()), unix.EBADF)
	require.Zero(t, look(t, r))
}

// GN-12, LU-11, TA-18: children inherit none of our descriptors, adopted ones included.
func init() {
	children["descriptors"] = func() int {
		for fd := range descriptors() {
			fmt.Println(fd)
		}
		return 0
	}
}

func TestFault_GN12_ChildrenInheritNothing(t *testing.T) {
	r := newReactor(t)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0) // inheritable
	require.NoError(t, err)
	a, b := newIO(t, r, fds[0], reactor.TCP), newIO(t, r, fds[1], reactor.TCP)
	std, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := std.Addr().String()
	ln := handle(t, r, std.(*net.TCPListener), reactor.TCP)
	q := ln.Accept()
	peer, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer peer.Close()
	require.NoError(t, finish(t, r, q))
	a.Read(make([]byte, 1))
	b.Read(make([]byte, 1))
	look(t, r)
	mine := map[string]bool{}
	for _, h := range []*reactor.IO{a, b, ln, q.Conn()} {
		mine[fmt.Sprint(h.Fd())] = true
	}
	for fd, what := range descriptors() {
		if what == "anon_inode:[eventpoll]" || what == "anon_inode:[eventfd]" {
			mine[fd] = true
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REACTOR_TEST_CHILD=descriptors")
	out, err := cmd.Output()
	require.NoError(t, err)
	// 0, 1, 2 and what the child opens itself: the directory it lists and,
	// perhaps, the poller of its own runtime.
	require.LessOrEqual(t, len(bytes.Fields(out)), 3+4, string(out))
	require.Greater(t, len(mine), 4)
}

// NP-3: both sides close at once, many times: each completion comes once.
func TestFault_NP3_BothSidesClose(t *testing.T) {
	r := newReactor(t)
	for i := range 1000 {
		a, peer := rawPairUnmanaged(t)
		h := newIO(t, r, a, reactor.TCP)
		n := count(h.Read(make([]byte, 1)))
		if i%3 == 0 {
			look(t, r)
		}
		closed := make(chan error)
		go func() { closed <- unix.Close(peer) }()
		if i%2 == 0 {
			look(t, r)
		}
		require.NoError(t, finish(t, r, h.Close()))
		require.NoError(t, <-closed)
		require.Equal(t, 1, *n)
	}
	require.Zero(t, look(t, r))
	require.False(t, r.Alive())
}

func rawPairUnmanaged(t testing.TB) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	return fds[0], fds[1]
}

// NP-7: an error report may stand for something in the error queue only. Both
// directions look, once, and wait on.
func TestFault_NP7_ErrorThatIsNone(t *testing.T) {
	r := newReactor(t)
	a, _ := udp(t, r, "127.0.0.1:0")
	require.NoError(t, unix.SetsockoptInt(a.Fd(), unix.IPPROTO_IP, unix.IP_RECVERR, 1))
	b, at := udp(t, r, "127.0.0.1:0")
	q := a.ReadFrom(make([]byte, 10))
	require.Zero(t, look(t, r))
	require.NoError(t, finish(t, r, b.Close()))
	require.NoError(t, finish(t, r, a.WriteTo([]byte("x"), at))) // to nobody: ECONNREFUSED comes back
	require.ErrorIs(t, finish(t, r, q), unix.ECONNREFUSED)
	n := waits(t)
	q = a.ReadFrom(make([]byte, 10))
	require.Zero(t, look(t, r))
	tm := r.NewTimer(20*time.Millisecond, 0)
	mustStart(t, tm)
	require.Equal(t, 1, execute(t, r))
	require.LessOrEqual(t, n.Load(), int64(6), "the queue's entry, still there, does not spin")
	q.Cancel()
}

// NP-8: EINTR is retried everywhere, and never taken for a length.
func TestFault_NP8_Interrupted(t *testing.T) {
	for _, call := range []sys.Call{sys.CallRead, sys.CallWrite, sys.CallReceive, sys.CallSend, sys.CallAccept, sys.CallRegister, sys.CallWait} {
		t.Run(call.String(), func(t *testing.T) {
			n := new(atomic.Int64)
			t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
				if c == call && n.Add(1)%3 != 0 {
					f.Errno = unix.EINTR
				}
				return f
			}))
			everything(t)
			require.Positive(t, n.Load(), "the fault was met")
		})
	}
}

// everything uses every kind of request once, and checks what comes of it.
func everything(t *testing.T) {
	t.Helper()
	r := newReactor(t)
	std, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := std.Addr()
	ln := handle(t, r, std.(*net.TCPListener), reactor.TCP)
	acc := ln.Accept()
	c := newIO(t, r, must(unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)), reactor.TCP)
	require.NoError(t, finish(t, r, c.Connect(at)))
	require.NoError(t, finish(t, r, acc))
	s := acc.Conn()
	both(t, r, c, s, 300_000)
	rd, wr := pipe(t, r)
	exchange(t, r, wr, rd, 300_000)
	a, atA := udp(t, r, "127.0.0.1:0")
	b, _ := udp(t, r, "127.0.0.1:0")
	buf := make([]byte, 8)
	q := a.ReadFrom(buf)
	require.NoError(t, finish(t, r, b.WriteTo([]byte("x"), atA)))
	require.NoError(t, finish(t, r, q))
	f, _ := tempFile(t, r)
	w := f.Write(make([]byte, 10_000))
	require.NoError(t, finish(t, r, w))
	require.Equal(t, 10_000, w.N())
	require.NoError(t, finish(t, r, s.Close()))
	require.Equal(t, io.EOF, finish(t, r, c.Read(buf)))
	for _, h := range []*reactor.IO{c, ln, rd, wr, a, b, f} {
		require.NoError(t, finish(t, r, h.Close()))
	}
	require.False(t, r.Alive())
}

// Connections that ended before they were accepted are passed over, but not
// without end.
func TestAbortedConnectionsArePassedOver(t *testing.T) {
	r := newReactor(t)
	std, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ln := handle(t, r, std.(*net.TCPListener), reactor.TCP)
	calls := 0
	defer sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallAccept {
			calls++
			f.Errno = unix.ECONNABORTED
		}
		return f
	})()
	require.ErrorIs(t, finish(t, r, ln.Accept()), unix.ECONNABORTED)
	require.Equal(t, 16, calls)
}

// NP-9: nothing read into something is the end, nothing read into nothing is not.
func TestFault_NP9_NothingReadIsTheEnd(t *testing.T) {
	r := newReactor(t)
	a, peer := rawPairUnmanaged(t)
	h := newIO(t, r, a, reactor.TCP)
	require.NoError(t, finish(t, r, h.Read(nil)))
	require.NoError(t, unix.Close(peer))
	require.NoError(t, finish(t, r, h.Read([]byte{})))
	require.Equal(t, io.EOF, finish(t, r, h.Read(make([]byte, 1))))
	rd, wr := pipe(t, r)
	q := rd.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	require.NoError(t, finish(t, r, wr.Close()))
	require.Equal(t, io.EOF, finish(t, r, q))
}

// LU-2: a descriptor that was closed while a duplicate lives on must neither
// spin nor come back.
func TestFault_LU2_DuplicateOfAClosedDescriptor(t *testing.T) {
	r := newReactor(t)
	a, peer := rawPair(t)
	h := newIO(t, r, must(unix.Dup(a)), reactor.TCP)
	keep, _ := pipe(t, r)
	keep.Read(make([]byte, 1)) // has the loop wait in the system
	h.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	require.NoError(t, finish(t, r, h.Close()))
	send(t, peer, "x")
	quiet(t, r)
}

// quiet has the loop wait for a timer, and nothing else wake it.
func quiet(t *testing.T, r *reactor.Reactor) {
	t.Helper()
	n := waits(t)
	tm := r.NewTimer(30*time.Millisecond, 0)
	mustStart(t, tm)
	require.Equal(t, 1, execute(t, r))
	require.LessOrEqual(t, n.Load(), int64(4), "waits until the timer")
}

// LU-2 at its worst: the owner of a polled descriptor closes it without a word,
// while a duplicate lives on. The kernel goes on reporting what nothing names.
func TestFault_LU2_PolledDescriptorClosedByItsOwner(t *testing.T) {
	r := newReactor(t)
	a, peer := rawPair(t)
	fd := must(unix.Dup(a))
	p := newPoll(t, r, fd, reactor.Readable)
	mustStart(t, p)
	require.Zero(t, look(t, r))
	other, otherPeer := socketPair(t, r)
	q := other.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	require.NoError(t, unix.Close(fd))
	send(t, peer, "x")
	p.Stop()
	quiet(t, r)
	require.NoError(t, finish(t, r, otherPeer.Write([]byte("x"))))
	require.NoError(t, finish(t, r, q), "others are still watched")

	// And with the number in other hands.
	fd = must(unix.Dup(a))
	p = newPoll(t, r, fd, reactor.Readable)
	n := count(p)
	mustStart(t, p)
	execute(t, r)
	require.Equal(t, 1, *n)
	require.NoError(t, unix.Close(fd))
	p.Stop()
	ours, peerB := sameFD(t, fd)
	defer unix.Close(peerB)
	hb := newIO(t, r, ours, reactor.TCP)
	qb := hb.Read(make([]byte, 1))
	for range 5 {
		require.Zero(t, look(t, r))
	}
	send(t, peerB, "b")
	require.NoError(t, finish(t, r, qb))
}

// LU-8: only a read of nothing is the end; what lies there is read before.
func TestFault_LU8_HangUpWithDataLeft(t *testing.T) {
	r := newReactor(t)
	a, peer := rawPairUnmanaged(t)
	h := newIO(t, r, a, reactor.TCP)
	b := make([]byte, 3)
	q := h.Read(b)
	require.Zero(t, look(t, r))
	send(t, peer, "abcdef")
	require.NoError(t, unix.Close(peer)) // the whole hang-up comes with the data
	require.NoError(t, finish(t, r, q))
	require.Equal(t, "abc", string(b[:q.N()]))
	q = h.Read(b)
	require.NoError(t, finish(t, r, q))
	require.Equal(t, "def", string(b[:q.N()]))
	require.Equal(t, io.EOF, finish(t, r, h.Read(b)))
	require.ErrorIs(t, finish(t, r, h.Write(b)), unix.EPIPE)
	quiet(t, r)
}

// LU-9: writing to what nobody reads gives EPIPE, and no signal.
func TestFault_LU9_NoSignalFromABrokenPipe(t *testing.T) {
	r := newReactor(t)
	rd, wr := pipe(t, r)
	require.NoError(t, finish(t, r, rd.Close()))
	require.ErrorIs(t, finish(t, r, wr.Write([]byte("x"))), unix.EPIPE)
	a, b := socketPair(t, r)
	require.NoError(t, finish(t, r, b.Close()))
	require.ErrorIs(t, finish(t, r, a.Write([]byte("x"))), unix.EPIPE)
	var q reactor.Request
	a.WriteBuffersWith(&q, [][]byte{{1}, {2}})
	require.ErrorIs(t, finish(t, r, &q), unix.EPIPE)
}

// LU-15: a process that is not our child is nobody to reap; see also GO-8.
func TestFault_LU15_GrandchildrenAreNotOurs(t *testing.T) {
	r := newReactor(t)
	p, err := os.FindProcess(1)
	require.NoError(t, err)
	if os.Getpid() == 1 || p.Signal(syscall.Signal(0)) != nil {
		t.Skip("needs to see process 1")
	}
	_, err = r.NewProcess(p)
	require.ErrorIs(t, err, unix.ECHILD)
}

// TK-6: a connection nobody waits on costs no wake-up, however its peer chats.
func TestFault_TK6_ChattyPeersOfIdleConnections(t *testing.T) {
	r := newReactor(t)
	never, peerNever := rawPair(t)
	newIO(t, r, must(unix.Dup(never)), reactor.TCP)
	once, peerOnce := rawPair(t)
	h := newIO(t, r, must(unix.Dup(once)), reactor.TCP)
	q := h.Read(make([]byte, 1))
	keep, keepPeer := socketPair(t, r)
	kept := keep.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	q.Cancel()
	var seen int
	defer sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallReady {
			seen++
		}
		return f
	})()
	for range 100 {
		send(t, peerNever, "x")
		send(t, peerOnce, "x")
		require.Zero(t, look(t, r))
	}
	require.LessOrEqual(t, seen, 2, "a peer is heard twice, and then no more")
	require.NoError(t, finish(t, r, keepPeer.Write([]byte("x"))))
	require.NoError(t, finish(t, r, kept))
	b := make([]byte, 200)
	q = h.Read(b)
	require.NoError(t, finish(t, r, q))
	require.Equal(t, 100, q.N(), "nothing was lost meanwhile")
	q = h.Read(b)
	require.Zero(t, look(t, r))
	send(t, peerOnce, "y")
	require.NoError(t, finish(t, r, q), "and it is heard again")
}

// GO-9: close is made once, also where it is interrupted.
func TestFault_GO9_CloseIsNotRetried(t *testing.T) {
	r := newReactor(t)
	a, _ := socketPair(t, r)
	fd := a.Fd()
	closes := 0
	defer sys.Inject(func(c sys.Call, f int) (fault sys.Fault) {
		if c == sys.CallClose && f == fd {
			closes++
			fault.Errno = unix.EINTR
		}
		return fault
	})()
	require.NoError(t, finish(t, r, a.Close()))
	require.Equal(t, 1, closes)
	require.Equal(t, unix.EBADF, unixCheck(fd))
}

// EV-1: a big transfer through small buffers, in both directions, with wake-ups
// in between, is exact.
func TestFault_EV1_PartialWritesAndWakes(t *testing.T) {
	r := newReactor(t)
	a, peer := tcpPair(t, r)
	b := handle(t, r, peer, reactor.TCP)
	for _, h := range []*reactor.IO{a, b} {
		require.NoError(t, unix.SetsockoptInt(h.Fd(), unix.SOL_SOCKET, unix.SO_SNDBUF, 4096))
	}
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				r.Wake()
			}
		}
	}()
	both(t, r, a, b, 2<<20)
	close(stop)
	<-stopped
}

// TA-9: a reset wakes whoever is parked, writers too.
func TestFault_TA9_ResetWakesWriters(t *testing.T) {
	r := newReactor(t)
	c, peer := tcpPair(t, r)
	require.NoError(t, peer.SetLinger(0))
	w := c.Write(make([]byte, 16<<20))
	rd := c.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	require.NoError(t, peer.Close())
	require.Error(t, finish(t, r, w))
	require.Error(t, finish(t, r, rd))
}

// TA-10: a read of a child's output ends when the child is killed.
func TestFault_TA10_ChildKilledWhileReadIsParked(t *testing.T) {
	r := newReactor(t)
	rd, wr := pipe(t, r)
	cmd := exec.Command("sh", "-c", "read line")
	out := os.NewFile(uintptr(must(unix.Dup(wr.Fd()))), "out")
	cmd.Stdout = out
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer in.Close()
	require.NoError(t, out.Close())
	require.NoError(t, finish(t, r, wr.Close()))
	p := newProcess(t, r, cmd.Process)
	n := count(p)
	mustStart(t, p)
	q := rd.Read(make([]byte, 1))
	require.Zero(t, look(t, r))
	require.NoError(t, cmd.Process.Kill())
	require.Equal(t, io.EOF, finish(t, r, q))
	until(t, r, func() bool { return *n == 1 })
	require.Equal(t, syscall.SIGKILL, p.State().Sys().(syscall.WaitStatus).Signal())
}

// Urgent data makes a read stop short of what lies behind it.
func TestUrgentDataHidesNothing(t *testing.T) {
	r := newReactor(t)
	c, peer := tcpPair(t, r)
	b := make([]byte, 64)
	q := c.Read(b)
	require.Zero(t, look(t, r))
	rc, err := peer.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, rc.Control(func(fd uintptr) {
		err = errors.Join(
			unix.Sendto(int(fd), []byte("ab"), 0, nil),
			unix.Sendto(int(fd), []byte("U"), unix.MSG_OOB, nil),
			unix.Sendto(int(fd), []byte("cd"), 0, nil))
	}))
	require.NoError(t, err)
	var got []byte
	for len(got) < 4 {
		require.NoError(t, finish(t, r, q))
		got = append(got, b[:q.N()]...)
		if len(got) < 4 {
			q = c.Read(b)
		}
	}
	require.Equal(t, "abcd", string(got))
}

// TestNoBusyLoop leaves a handle in every state that lasts, and counts the waits.
func TestNoBusyLoop(t *testing.T) {
	r := newReactor(t)
	parked, _ := socketPair(t, r)
	parked.Read(make([]byte, 1))
	full, _ := socketPair(t, r)
	full.Write(make([]byte, 8<<20))
	half, peer := tcpPair(t, r)
	half.Write(make([]byte, 64<<20)) // whose peer has sent the end, and does not read
	require.NoError(t, peer.CloseWrite())
	gone, goneFD := rawPairUnmanaged(t)
	hg := newIO(t, r, gone, reactor.TCP)
	q := hg.Read(make([]byte, 1))
	require.NoError(t, unix.Close(goneFD))
	require.Equal(t, io.EOF, finish(t, r, q))
	std, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	handle(t, r, std.(*net.UnixListener), reactor.TCP).Accept()
	look(t, r)
	quiet(t, r)
}

// LU-6 while the loop waits in the system.
func TestFault_LU6_NoWakeIsLostByTheBackend(t *testing.T) { wakeStorm(t, watchingReactor(t)) }

// TestFault_LU10_SlowLookupsHoldUpNothing has more look-ups under way than may
// run at once, none of which is ever answered. A file is read all the same, and
// closing waits for none of them.
func TestFault_LU10_SlowLookupsHoldUpNothing(t *testing.T) {
	asked := make(chan struct{}, 1000)
	r := newReactor(t, reactor.WithResolver(silent(asked)))
	told := 0
	for i := range 100 { // each another name: equal questions are asked once
		l := r.NewLookup(context.Background(), "ip4", fmt.Sprintf("host%d.example.", i))
		l.Subscribe(func(error) { told++ })
		mustStart(t, l)
	}
	f, err := os.Open("lookup_test.go")
	require.NoError(t, err)
	h := newFile(t, r, f)
	b := make([]byte, 7)
	require.NoError(t, finish(t, r, h.Read(b)))
	require.Equal(t, "package", string(b))
	<-asked
	require.Zero(t, told)
	require.NoError(t, r.Close())
	require.Equal(t, 100, told)
}
