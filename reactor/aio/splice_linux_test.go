package aio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// noise is so many bytes, no stretch of which is like another.
func noise(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

// unixPair is pair with unix sockets.
func unixPair(t testing.TB, ctx context.Context) (a, b *aio.Conn) {
	t.Helper()
	l, err := aio.Listen(ctx, "unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	a, err = aio.Dial(ctx, "unix", l.Addr().String())
	require.NoError(t, err)
	c, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return a, c.(*aio.Conn)
}

// counted counts the calls of each kind, but for the faults that it gives.
func counted(t testing.TB, fault func(c sys.Call, fd int) sys.Fault) *[64]atomic.Int64 {
	var calls [64]atomic.Int64
	t.Cleanup(sys.Inject(func(c sys.Call, fd int) (f sys.Fault) {
		calls[c].Add(1)
		if fault != nil {
			f = fault(c, fd)
		}
		return f
	}))
	return &calls
}

// ends closes both.
func ends(a, b io.Closer) error { return errors.Join(a.Close(), b.Close()) }

// What comes thick goes from one descriptor to the other without being read by the
// program, byte by byte as it was sent.
func TestConnSplices(t *testing.T) {
	type in = io.WriteCloser
	conns := func(pair func(testing.TB, context.Context) (a, b *aio.Conn)) func(testing.TB, context.Context) (in, io.ReadWriteCloser) {
		return func(t testing.TB, ctx context.Context) (in, io.ReadWriteCloser) { return pair(t, ctx) }
	}
	sources := map[string]func(testing.TB, context.Context) (in, io.ReadWriteCloser){
		"tcp":  conns(pair),
		"unix": conns(unixPair),
		"pipe": func(t testing.TB, ctx context.Context) (in, io.ReadWriteCloser) {
			r, w, err := aio.Pipe(ctx)
			require.NoError(t, err)
			return w, r
		},
	}
	copies := map[string]func(dst io.Writer, src io.Reader) (int64, error){
		"io.Copy": io.Copy,
		"ReadFrom": func(dst io.Writer, src io.Reader) (int64, error) {
			if c, ok := dst.(*aio.Conn); ok {
				return c.ReadFrom(src)
			}
			return io.Copy(dst, src)
		},
		"limited": func(dst io.Writer, src io.Reader) (n int64, err error) {
			for err == nil {
				var m int64
				m, err = io.CopyN(dst, src, 400_001)
				n += m
			}
			if err == io.EOF {
				err = nil
			}
			return n, err
		},
	}
	want := noise(3 << 20)
	for from, source := range sources {
		for to, sink := range sources {
			if from == "pipe" && to == "pipe" {
				continue // no Conn
			}
			for how, copying := range copies {
				if how == "limited" && to == "pipe" {
					continue // which has no ReadFrom
				}
				t.Run(fmt.Sprintf("%s to %s by %s", from, to, how), func(t *testing.T) {
					calls := counted(t, nil)
					run(t, func(ctx context.Context) error {
						a, b := source(t, ctx)
						c, d := sink(t, ctx)
						scheduler.Go(ctx, func(context.Context) error {
							_, err := a.Write(want)
							return errors.Join(err, a.Close())
						})
						scheduler.Go(ctx, func(context.Context) error {
							n, err := copying(c, b)
							require.NoError(t, err)
							require.EqualValues(t, len(want), n)
							return ends(b, c)
						})
						got, err := io.ReadAll(d)
						require.NoError(t, err)
						require.True(t, bytes.Equal(want, got))
						return d.Close()
					})
					require.Positive(t, calls[sys.CallSplice].Load())
				})
			}
		}
	}
}

// A LimitedReader is taken from as much as has been taken, and no more.
func TestConnSplicesNoMoreThanItIsTo(t *testing.T) {
	calls := counted(t, nil)
	run(t, func(ctx context.Context) error {
		a, b := unixPair(t, ctx)
		c, d := pair(t, ctx)
		sent := noise(100_000)
		_, err := a.Write(sent)
		require.NoError(t, err)
		limited := &io.LimitedReader{R: b, N: 70_000}
		n, err := c.ReadFrom(limited)
		require.NoError(t, err)
		require.EqualValues(t, 70_000, n)
		require.Zero(t, limited.N)
		require.Positive(t, calls[sys.CallSplice].Load())
		n, err = c.ReadFrom(limited)
		require.NoError(t, err)
		require.Zero(t, n)
		rest := make([]byte, 30_000)
		_, err = io.ReadFull(b, rest)
		require.NoError(t, err)
		require.True(t, bytes.Equal(sent[70_000:], rest))
		got := make([]byte, 70_000)
		_, err = io.ReadFull(d, got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(sent[:70_000], got))
		return errors.Join(ends(a, b), ends(c, d))
	})
}

// A conversation in small messages takes no pipe, and no call more than reads and
// writes do.
func TestConnSplicesNothingSmall(t *testing.T) {
	calls := counted(t, nil)
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		c, d := pair(t, ctx)
		relay := scheduler.Go(ctx, func(context.Context) error {
			_, err := io.Copy(c, b)
			return err
		})
		opened := calls[sys.CallOpen].Load()
		for range 10 {
			_, err := a.Write(make([]byte, 1000))
			require.NoError(t, err)
			_, err = io.ReadFull(d, make([]byte, 1000))
			require.NoError(t, err)
		}
		require.NoError(t, a.Close())
		require.NoError(t, relay.Await(ctx))
		require.Zero(t, calls[sys.CallSplice].Load())
		require.Equal(t, opened, calls[sys.CallOpen].Load())
		return errors.Join(b.Close(), ends(c, d))
	})
}

// How copying can be ended, from each side.
var spliceEnds = map[string]struct {
	end  func(src, dst *aio.Conn, co *scheduler.Coroutine)
	want error
	op   string
}{
	"deadline of the source":      {func(src, _ *aio.Conn, _ *scheduler.Coroutine) { _ = src.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded, "read"},
	"deadline of the destination": {func(_, dst *aio.Conn, _ *scheduler.Coroutine) { _ = dst.SetWriteDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded, "write"},
	"source closed":               {func(src, _ *aio.Conn, _ *scheduler.Coroutine) { _ = src.Close() }, net.ErrClosed, "read"},
	"destination closed":          {func(_, dst *aio.Conn, _ *scheduler.Coroutine) { _ = dst.Close() }, net.ErrClosed, "write"},
	"cancelled":                   {func(_, _ *aio.Conn, co *scheduler.Coroutine) { co.Cancel(nil) }, context.Canceled, ""},
	"reading ended":               {func(src, _ *aio.Conn, _ *scheduler.Coroutine) { _ = src.CloseRead() }, nil, ""},
	"writing ended":               {func(_, dst *aio.Conn, _ *scheduler.Coroutine) { _ = dst.CloseWrite() }, syscall.EPIPE, "write"},
}

// requireEnd requires err to be what that end gives.
func requireEnd(t *testing.T, err, want error, op string) {
	t.Helper()
	require.ErrorIs(t, err, want)
	var oe *net.OpError
	if want != nil {
		require.ErrorAs(t, err, &oe)
	}
	if op != "" {
		require.Equal(t, op, oe.Op)
	}
}

// Where the destination takes no more, what is reported as copied is what arrives.
func TestConnSplicingEndsInThePipe(t *testing.T) {
	sent := noise(32 << 20) // which no buffers hold
	for name, e := range spliceEnds {
		t.Run(name, func(t *testing.T) {
			calls := counted(t, nil)
			run(t, func(ctx context.Context) error {
				a, b := pair(t, ctx)
				c, d := pair(t, ctx)
				sender := scheduler.Go(ctx, func(context.Context) error { _, _ = a.Write(sent); return nil })
				var n int64
				var err error
				copying := scheduler.Go(ctx, func(context.Context) error { n, err = io.Copy(c, b); return nil })
				for calls[sys.CallSplice].Load() < 3 || sender.State() != scheduler.Suspended || copying.State() != scheduler.Suspended {
					require.NoError(t, scheduler.Yield(ctx))
				}
				e.end(b, c, copying)
				var got []byte
				var readErr error
				reader := scheduler.Go(ctx, func(context.Context) error { got, readErr = io.ReadAll(d); return nil })
				require.NoError(t, copying.Await(ctx))
				requireEnd(t, err, e.want, e.op)
				_ = c.Close()
				require.NoError(t, reader.Await(ctx))
				require.NoError(t, readErr)
				require.EqualValues(t, n, len(got))
				require.True(t, bytes.HasPrefix(sent, got))
				_, _ = a.Close(), b.Close()
				require.NoError(t, sender.Await(ctx))
				return d.Close()
			})
		})
	}
}

// Where the source has no more, everything that came has been copied.
func TestConnSplicingEndsBeforeThePipe(t *testing.T) {
	const all = 128 << 10
	for name, e := range spliceEnds {
		if name == "deadline of the destination" || name == "destination closed" || name == "writing ended" {
			continue // which nobody sees before there is something to write
		}
		t.Run(name, func(t *testing.T) {
			source := -1
			calls := counted(t, func(_ sys.Call, fd int) (f sys.Fault) {
				if fd == source {
					f.Limit = 32 << 10 // so that it is splice that waits for more
				}
				return f
			})
			run(t, func(ctx context.Context) error {
				a, b := unixPair(t, ctx)
				c, d := unixPair(t, ctx)
				source = descriptor(t, b)
				var n int64
				var err error
				copying := scheduler.Go(ctx, func(context.Context) error { n, err = c.ReadFrom(b); return nil })
				_, writeErr := a.Write(make([]byte, all))
				require.NoError(t, writeErr)
				_, readErr := io.ReadFull(d, make([]byte, all))
				require.NoError(t, readErr)
				for copying.State() != scheduler.Suspended || calls[sys.CallSplice].Load() < 7 {
					require.NoError(t, scheduler.Yield(ctx))
				}
				e.end(b, c, copying)
				require.NoError(t, copying.Await(ctx))
				requireEnd(t, err, e.want, e.op)
				require.EqualValues(t, all, n)
				_ = b.Close()
				return errors.Join(a.Close(), ends(c, d))
			})
		})
	}
}

// A peer's end and its reset are told apart, and each from the other peer's.
func TestConnSplicingAndThePeers(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(t *testing.T, source, sink *aio.Conn)
		want error
		op   string
	}{
		"end of the source": {func(t *testing.T, source, _ *aio.Conn) { require.NoError(t, source.CloseWrite()) }, nil, ""},
		"reset by the source": {func(t *testing.T, source, _ *aio.Conn) {
			require.NoError(t, errors.Join(source.SetLinger(0), source.Close()))
		}, syscall.ECONNRESET, "read"},
		"reset by destination": {func(t *testing.T, _, sink *aio.Conn) {
			require.NoError(t, errors.Join(sink.SetLinger(0), sink.Close()))
		}, syscall.ECONNRESET, "write"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				a, b := pair(t, ctx)
				x, d := pair(t, ctx)
				var n int64
				var copyErr error
				copying := scheduler.Go(ctx, func(context.Context) error { n, copyErr = io.Copy(x, b); return nil })
				piece := noise(256 << 10)
				scheduler.Go(ctx, func(context.Context) error { _, err := a.Write(piece); return err })
				got := make([]byte, len(piece))
				_, err := io.ReadFull(d, got)
				require.NoError(t, err)
				require.True(t, bytes.Equal(piece, got))
				c.end(t, a, d)
				if c.op == "write" { // a reset is seen by who writes
					scheduler.Go(ctx, func(context.Context) error { _, _ = a.Write(noise(64 << 20)); return nil })
				}
				require.NoError(t, copying.Await(ctx))
				requireEnd(t, copyErr, c.want, c.op)
				require.GreaterOrEqual(t, n, int64(len(piece)))
				_, _, _, _ = a.Close(), b.Close(), x.Close(), d.Close()
				return nil
			})
		})
	}
}

// Goroutines off the loop copy, too.
func TestConnSplicesOffTheLoop(t *testing.T) {
	calls := counted(t, nil)
	ctx := background(t)
	a, b := pair(t, ctx)
	c, d := pair(t, ctx)
	copied := make(chan error, 1)
	want := noise(4 << 20)
	go func() {
		n, err := io.Copy(c, b)
		if n != int64(len(want)) {
			err = errors.Join(err, fmt.Errorf("%d bytes copied", n))
		}
		copied <- errors.Join(err, ends(b, c))
	}()
	go func() {
		_, _ = a.Write(want)
		_ = a.Close()
	}()
	got, err := io.ReadAll(d)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
	require.NoError(t, d.Close())
	require.NoError(t, <-copied)
	require.Positive(t, calls[sys.CallSplice].Load())
}

// A coroutine copies to a connection of another loop as a goroutine off that does.
func TestConnSplicesBetweenLoops(t *testing.T) {
	calls := counted(t, nil)
	c, d := pair(t, background(t))
	want := noise(4 << 20)
	received := make(chan []byte)
	go func() {
		got, _ := io.ReadAll(d)
		_ = d.Close()
		received <- got
	}()
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		scheduler.Go(ctx, func(context.Context) error {
			_, err := a.Write(want)
			return errors.Join(err, a.Close())
		})
		n, err := io.Copy(c, b)
		require.NoError(t, err)
		require.EqualValues(t, len(want), n)
		return ends(b, c)
	})
	require.True(t, bytes.Equal(want, <-received))
	require.Positive(t, calls[sys.CallSplice].Load())
}

// Copying gives others their turn although it never has to wait.
func TestConnSplicingLetsOthersRun(t *testing.T) {
	const all = 128 << 10
	ticks, source := 0, -1
	var seen []int
	counted(t, func(c sys.Call, fd int) (f sys.Fault) {
		if c == sys.CallSplice {
			seen = append(seen, ticks)
		}
		if fd == source {
			f.Limit = 32 << 10
		}
		return f
	})
	run(t, func(ctx context.Context) error {
		a, b := unixPair(t, ctx)
		c, d := unixPair(t, ctx)
		source = descriptor(t, b)
		_, err := a.Write(make([]byte, all))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		copying := scheduler.Go(ctx, func(context.Context) error {
			n, err := io.Copy(c, b)
			require.EqualValues(t, all, n)
			return err
		})
		for copying.State() != scheduler.Finished {
			ticks++
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.Len(t, seen, 7, "3 times in and out, and the end: it never waited")
		require.Greater(t, seen[len(seen)-1], seen[0]+1)
		return errors.Join(b.Close(), ends(c, d))
	})
}

// Where the system refuses, what has been taken is written all the same, and the rest
// copied.
func TestConnSplicesWhereItCan(t *testing.T) {
	for _, refused := range []syscall.Errno{unix.EINVAL, unix.ENOSYS, unix.EPERM, unix.EOPNOTSUPP} {
		for nth := int64(1); nth <= 4; nth++ {
			for _, call := range []sys.Call{sys.CallSplice, sys.CallOpen} {
				t.Run(fmt.Sprintf("%v at %v %d", refused, call, nth), func(t *testing.T) {
					var calls, on atomic.Int64
					counted(t, func(c sys.Call, _ int) (f sys.Fault) {
						if on.Load() == 1 && c == call && (calls.Add(1) == nth || c == sys.CallOpen) {
							f.Errno = refused
						}
						return f
					})
					run(t, func(ctx context.Context) error {
						require.NoError(t, relayed(t, ctx, 1<<20, 0, func() { on.Store(1) }))
						return nil
					})
					require.Positive(t, calls.Load())
					if call == sys.CallSplice {
						require.Equal(t, nth, calls.Load(), "it is not asked again")
					}
				})
			}
		}
	}
}

// relayed copies size bytes from one connection to another, from when begin has been
// called on, within limit where that is not 0, and returns how that failed. It requires
// that what arrives is what was sent, as far as it was reported as copied.
func relayed(t *testing.T, ctx context.Context, size int, limit time.Duration, begin func()) error {
	a, b := pair(t, ctx)
	c, d := pair(t, ctx)
	sent := noise(size)
	if limit > 0 {
		require.NoError(t, errors.Join(b.SetReadDeadline(time.Now().Add(limit)), c.SetWriteDeadline(time.Now().Add(limit))))
	}
	begin()
	var n int64
	var err error
	copying := scheduler.Go(ctx, func(context.Context) error {
		n, err = io.Copy(c, b)
		_, _ = b.Close(), c.Close()
		return nil
	})
	var sendErr error
	sender := scheduler.Go(ctx, func(context.Context) error {
		for left := sent; len(left) > 0 && sendErr == nil; {
			_ = a.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
			n, err := a.Write(left)
			if left = left[n:]; !errors.Is(err, os.ErrDeadlineExceeded) {
				sendErr = err
			}
		}
		_ = a.Close()
		return nil
	})
	got, readErr := io.ReadAll(patient{d, d.SetReadDeadline})
	_ = d.Close()
	require.NoError(t, errors.Join(copying.Await(ctx), sender.Await(ctx)))
	require.True(t, bytes.HasPrefix(sent, got))
	if readErr == nil {
		require.EqualValues(t, n, len(got))
	}
	err = errors.Join(err, readErr, sendErr)
	if err == nil {
		require.Len(t, got, size)
	}
	return err
}

// Each call of a copying in turn fails in each way: what arrives is what was sent, or an
// error tells; the loop lives on, and nothing stays open. Where a call is told, against
// the truth, that it has to wait or that there is no more, its deadline ends that.
func TestFaultsAtEverySplice(t *testing.T) {
	faults := map[string]sys.Fault{
		"EINTR":  {Errno: unix.EINTR},
		"EAGAIN": {Errno: unix.EAGAIN},
		"RESET":  {Errno: unix.ECONNRESET},
		"EMFILE": {Errno: unix.EMFILE},
		"ENOSYS": {Errno: unix.ENOSYS},
		"short":  {Limit: 1},
		"double": {Double: true},
		"lost":   {Lose: true},
	}
	for name, fault := range faults {
		for _, call := range []sys.Call{sys.CallSplice, sys.CallOpen, sys.CallRead, sys.CallWrite, sys.CallReady, sys.CallClose} {
			limit := time.Duration(0)
			if fault.Errno == unix.EAGAIN || fault.Lose || fault.Limit > 0 && call == sys.CallRead {
				limit = 30 * time.Millisecond
			}
			for nth := int64(1); nth <= 6; nth++ {
				t.Run(fmt.Sprintf("%s at %v %d", name, call, nth), func(t *testing.T) {
					var on atomic.Bool
					var calls atomic.Int64
					counted(t, func(c sys.Call, _ int) (f sys.Fault) {
						if on.Load() && c == call && calls.Add(1) == nth {
							return fault
						}
						return f
					})
					run(t, func(ctx context.Context) error {
						err := relayed(t, ctx, 1<<20, limit, func() { on.Store(true) })
						on.Store(false)
						switch {
						case limit > 0 && errors.Is(err, os.ErrDeadlineExceeded):
						case fault.Errno == unix.EINTR, fault.Errno == 0, call == sys.CallOpen, call == sys.CallClose:
							require.NoError(t, err)
						case err != nil && fault.Errno != unix.EAGAIN:
							require.ErrorIs(t, err, fault.Errno)
						}
						return relayed(t, ctx, 1<<18, 0, func() {})
					})
				})
			}
		}
	}
}

// Urgent data is passed over, as Read does, and does not stop what comes after it.
func TestConnSplicesPastUrgentData(t *testing.T) {
	for name, inline := range map[string]int{"apart": 0, "inline": 1} {
		t.Run(name, func(t *testing.T) {
			calls := counted(t, nil)
			run(t, func(ctx context.Context) error {
				a, b := pair(t, ctx)
				c, d := pair(t, ctx)
				require.NoError(t, unix.SetsockoptInt(descriptor(t, b), unix.SOL_SOCKET, unix.SO_OOBINLINE, inline))
				part := noise(200 << 10)
				want := append(append(bytes.Clone(part), "!"[:inline]...), part...)
				scheduler.Go(ctx, func(context.Context) error {
					_, err := a.Write(part)
					require.NoError(t, err)
					require.NoError(t, unix.Send(descriptor(t, a), []byte("!"), unix.MSG_OOB))
					_, err = a.Write(part)
					return err
				})
				copying := scheduler.Go(ctx, func(context.Context) error {
					_, err := io.Copy(c, b)
					return err
				})
				got := make([]byte, len(want))
				_, err := io.ReadFull(d, got)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got))
				require.Positive(t, calls[sys.CallSplice].Load())
				require.NoError(t, a.Close())
				return errors.Join(copying.Await(ctx), b.Close(), ends(c, d))
			})
		})
	}
}

// Who is unwound while it copies drops its pipe, and nothing comes back to that.
func TestConnSplicingIsUnwound(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := unixPair(t, ctx)
		c, d := unixPair(t, ctx)
		before := pipeEnds()
		sender := scheduler.Go(ctx, func(context.Context) error { _, _ = a.Write(noise(4 << 20)); return nil })
		copying := scheduler.Go(ctx, func(context.Context) error { _, err := io.Copy(c, b); return err })
		for pipeEnds() == before || copying.State() != scheduler.Suspended {
			require.NoError(t, scheduler.Yield(ctx))
		}
		unwind(t, ctx, copying)
		require.Equal(t, before, pipeEnds())
		require.NoError(t, c.CloseWrite())
		_, err := io.ReadAll(d) // what may have the destination take more
		require.NoError(t, err)
		require.NoError(t, b.Close())
		return errors.Join(sender.Await(ctx), a.Close(), ends(c, d))
	})
}
