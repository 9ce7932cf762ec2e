//go:build linux

package reactor_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// sweeps are the faults that each call is made to have.
var sweeps = map[sys.Call][]sys.Fault{
	sys.CallRead:     {{Errno: unix.EINTR}, {Errno: unix.EAGAIN}, {Errno: unix.ECONNRESET}, {Limit: 1}},
	sys.CallWrite:    {{Errno: unix.EINTR}, {Errno: unix.EAGAIN}, {Errno: unix.ECONNRESET}, {Errno: unix.ENOBUFS}, {Limit: 1}},
	sys.CallReceive:  {{Errno: unix.EINTR}, {Errno: unix.EAGAIN}, {Errno: unix.ECONNREFUSED}},
	sys.CallSend:     {{Errno: unix.EINTR}, {Errno: unix.EAGAIN}, {Errno: unix.ENOBUFS}},
	sys.CallAccept:   {{Errno: unix.EINTR}, {Errno: unix.EAGAIN}, {Errno: unix.ECONNABORTED}, {Errno: unix.EMFILE}, {Errno: unix.ENOBUFS}},
	sys.CallConnect:  {{Errno: unix.EINTR}, {Errno: unix.ENETUNREACH}, {Errno: unix.ECONNRESET}},
	sys.CallRegister: {{Errno: unix.EINTR}, {Errno: unix.ENOMEM}, {Errno: unix.ENOSPC}},
	sys.CallWait:     {{Errno: unix.EINTR}, {Errno: unix.ENOMEM}},
	sys.CallReady:    {{Lose: true}, {Double: true}},
	sys.CallClose:    {{Errno: unix.EINTR}, {Errno: unix.EIO}},
	sys.CallSplice:   {{Errno: unix.EINTR}, {Errno: unix.EAGAIN}, {Errno: unix.ECONNRESET}, {Errno: unix.ENOSYS}, {Limit: 1}},
}

// TestFaultSweep runs one scenario again and again, and each time makes one
// call later have the fault, until none is left to have it. Each time the data
// must be exact or the fault reported, and the loop must live on.
func TestFaultSweep(t *testing.T) {
	for _, call := range sys.Calls() {
		require.Contains(t, append(slices.Collect(maps.Keys(sweeps)), sys.CallOpen), call, "no call is left out")
	}
	for call, faults := range sweeps {
		for _, fault := range faults {
			t.Run(fmt.Sprintf("%v %+v", call, fault), func(t *testing.T) {
				for at := int64(1); ; at++ {
					if !sweepOnce(t, call, fault, at) {
						require.Greater(t, at, int64(1), "the scenario makes no such call")
						return
					}
				}
			})
		}
	}
}

// sweepOnce reports whether there was an at-th call to have the fault.
func sweepOnce(t *testing.T, call sys.Call, fault sys.Fault, at int64) (met bool) {
	r := newReactor(t)
	pipe(t, r) // opens the backend; see TestBackendThatCannotBeOpened
	var n atomic.Int64
	undo := sys.Inject(func(c sys.Call, _ int) sys.Fault {
		if c == call && n.Add(1) == at {
			return fault
		}
		return sys.Fault{}
	})
	defer undo()
	s := &scenario{t: t, r: r}
	err := s.run()
	undo()
	if err != nil && fault.Errno != 0 {
		require.ErrorIs(t, err, fault.Errno)
	} else {
		require.NoError(t, err, "fault %d", at)
	}
	x, y := socketPair(t, r)
	both(t, r, x, y, 1000) // the loop lives on
	require.False(t, r.Alive())
	require.NoError(t, r.Close())
	return n.Load() >= at
}

func TestBackendThatCannotBeOpened(t *testing.T) {
	r := newReactor(t)
	a, _ := rawPair(t)
	p := newPoll(t, r, a, reactor.Writable)
	undo := sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallRegister {
			f.Errno = unix.ENOMEM
		}
		return f
	})
	defer undo()
	_, err := r.NewIO(a, reactor.TCP)
	require.ErrorIs(t, err, unix.ENOMEM)
	require.ErrorIs(t, p.Start(), unix.ENOMEM)
	require.False(t, r.Alive())
	undo()
	require.NoError(t, p.Start())
	require.Equal(t, 1, execute(t, r))
	p.Stop()
}

// scenario is some of everything. Where a request takes long, it is cancelled
// and its rest made anew, as a program with deadlines does.
type scenario struct {
	t     *testing.T
	r     *reactor.Reactor
	open  []*reactor.IO
	first error
}

const patience = 10 * time.Millisecond

// await waits for q; cancelled says that it lasted too long.
func (s *scenario) await(q *reactor.Request) (cancelled bool, err error) {
	limit := s.r.NewTimer(patience, 0)
	limit.Subscribe(func(error) { q.Cancel() })
	require.NoError(s.t, limit.Start())
	defer limit.Stop()
	for {
		if done, err := q.Done(); done {
			if errors.Is(err, context.Canceled) {
				return true, nil
			}
			return false, err
		}
		if _, err := s.r.Execute(false); err != nil {
			s.fail(err)
		}
	}
}

// again makes a request until it is not cancelled.
func (s *scenario) again(make func() *reactor.Request) (*reactor.Request, error) {
	for {
		q := make()
		if cancelled, err := s.await(q); !cancelled {
			return q, err
		}
	}
}

func (s *scenario) fail(err error) {
	if s.first == nil {
		s.first = err
	}
}

func (s *scenario) own(h *reactor.IO) *reactor.IO {
	s.open = append(s.open, h)
	return h
}

func (s *scenario) run() error {
	s.fail(s.steps())
	for _, h := range s.open {
		s.fail(s.end(h.Close()))
	}
	return s.first
}

func (s *scenario) steps() error {
	a, b, err := s.connect()
	if err != nil {
		return err
	}
	if err := errors.Join(s.stream(a, b), s.stream(b, a)); err != nil {
		return err
	}
	if err := s.echo(a, b); err != nil {
		return err
	}
	rd, wr := pipe(s.t, s.r)
	if err := s.stream(s.own(wr), s.own(rd)); err != nil {
		return err
	}
	if err := s.datagrams(); err != nil {
		return err
	}
	return s.file()
}

func (s *scenario) connect() (a, b *reactor.IO, err error) {
	std, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(s.t, err)
	at := std.Addr()
	ln := s.own(handle(s.t, s.r, std.(*net.TCPListener), reactor.TCP))
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(s.t, err)
	a = s.own(newIO(s.t, s.r, fd, reactor.TCP))
	if _, err := s.again(func() *reactor.Request { return a.Connect(at) }); err != nil {
		return nil, nil, err
	}
	q, err := s.again(ln.Accept)
	if err != nil {
		return nil, nil, err
	}
	return a, s.own(q.Conn()), nil
}

// stream sends what no buffer holds, and reads it at the same time.
func (s *scenario) stream(from, to *reactor.IO) error {
	sent := make([]byte, 250_000)
	for i := range sent {
		sent[i] = byte(i % 251)
	}
	rest := sent
	w := from.Write(rest)
	var got []byte
	b := make([]byte, 128<<10)
	for len(got) < len(sent) {
		if done, err := w.Done(); done && err != nil {
			return err
		}
		q := to.Read(b)
		cancelled, err := s.await(q)
		got = append(got, b[:q.N()]...)
		if err != nil {
			w.Cancel()
			return err
		}
		if done, _ := w.Done(); cancelled && !done {
			w.Cancel()
			rest = rest[w.N():]
			w = from.Write(rest)
		}
	}
	if cancelled, err := s.await(w); cancelled || err != nil {
		return errors.Join(err, errors.New("a write that was read did not end"))
	}
	if !bytes.Equal(sent, got) {
		return errors.New("what arrived is not what was sent")
	}
	return nil
}

// echo sends something, which to moves back by calls of its own.
func (s *scenario) echo(from, to *reactor.IO) error {
	r, w, _, errno := sys.OpenPipe(64 << 10)
	require.Zero(s.t, errno)
	defer unix.Close(r)
	defer unix.Close(w)
	sent := bytes.Repeat([]byte("0123456789"), 100)
	if _, err := s.again(func() *reactor.Request { return from.Write(sent) }); err != nil {
		return err
	}
	if err := s.calls(len(sent), to, reactor.Readable, func(fd, left int) (int, unix.Errno) { return sys.SpliceIn(fd, w, left) }); err != nil {
		return err
	}
	if err := s.calls(len(sent), to, reactor.Writable, func(fd, left int) (int, unix.Errno) { return sys.SpliceOut(r, fd, left) }); err != nil {
		return err
	}
	got := make([]byte, 0, len(sent))
	for len(got) < len(sent) {
		q, err := s.again(func() *reactor.Request { return from.Read(got[len(got):cap(got)]) })
		if err != nil {
			return err
		}
		got = got[:len(got)+q.N()]
	}
	if !bytes.Equal(sent, got) {
		return errors.New("what came back is not what was sent")
	}
	return nil
}

// calls has call move left bytes.
func (s *scenario) calls(left int, h *reactor.IO, mode reactor.Mode, call func(fd, left int) (int, unix.Errno)) error {
	for left > 0 {
		q, err := s.again(func() *reactor.Request {
			q := new(reactor.Request)
			h.TryWith(q, mode, func(fd int) (int, error) {
				n, errno := call(fd, left)
				if errno != 0 {
					return n, errno
				}
				return n, nil
			})
			return q
		})
		if err != nil {
			return err
		}
		left -= q.N()
	}
	return nil
}

func (s *scenario) datagrams() error {
	a, atA := udp(s.t, s.r, "127.0.0.1:0")
	b, _ := udp(s.t, s.r, "127.0.0.1:0")
	s.own(a)
	s.own(b)
	buf := make([]byte, 10)
	early := a.ReadFrom(buf)
	if _, err := s.again(func() *reactor.Request { return b.WriteTo([]byte("hello"), atA) }); err != nil {
		early.Cancel()
		return err
	}
	q := early
	if cancelled, err := s.await(early); err != nil {
		return err
	} else if cancelled {
		if q, err = s.again(func() *reactor.Request { return a.ReadFrom(buf) }); err != nil {
			return err
		}
	}
	if string(buf[:q.N()]) != "hello" {
		return errors.New("another datagram arrived")
	}
	return nil
}

// end waits for q for as long as it lasts: no readiness of a file can be lost.
func (s *scenario) end(q *reactor.Request) error {
	for {
		if done, err := q.Done(); done {
			return err
		}
		if _, err := s.r.Execute(false); err != nil {
			s.fail(err)
		}
	}
}

func (s *scenario) file() error {
	f, _ := tempFile(s.t, s.r)
	s.own(f)
	want := bytes.Repeat([]byte("line\n"), 100)
	if err := s.end(f.Write(want)); err != nil {
		return err
	}
	var seek reactor.Request
	f.Do(&seek, func(fd int) (int, error) {
		_, err := unix.Seek(fd, 0, io.SeekStart)
		return 0, err
	})
	if err := s.end(&seek); err != nil {
		return err
	}
	var got []byte
	b := make([]byte, 64)
	for {
		q := f.Read(b)
		err := s.end(q)
		got = append(got, b[:q.N()]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !bytes.Equal(want, got) {
		return errors.New("the file holds something else")
	}
	return nil
}
