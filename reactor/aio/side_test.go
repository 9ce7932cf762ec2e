//go:build unix

package aio_test

import (
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// others are coroutines that are always ready, and count their turns.
type others struct {
	turns []int
	stop  bool
}

func newOthers(t testing.TB, ctx context.Context, n int) *others {
	o := &others{turns: make([]int, n)}
	for i := range o.turns {
		scheduler.Go(ctx, func(ctx context.Context) error {
			for ; !o.stop; o.turns[i]++ {
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, scheduler.Yield(ctx)) // and all have begun
	clear(o.turns)
	return o
}

// perTurn is how many operations may complete at once in one turn, at most: that the
// number is small is what is promised, not what it is.
const perTurn = 32

// requireTurns requires that the others have had their turns while so many operations
// completed at once.
func (o *others) requireTurns(t testing.TB, operations int) {
	t.Helper()
	for _, turns := range o.turns {
		require.GreaterOrEqual(t, turns, operations/perTurn-1)
	}
	o.stop = true
}

// Whatever it is that completes at once, and however often, others have their turns
// between.
func TestWhatCompletesAtOnceGivesWay(t *testing.T) {
	const n = 3200
	flooded := func(t testing.TB, ctx context.Context) (c, peer *aio.Conn) {
		c, peer = pair(t, ctx)
		_, err := peer.Write(make([]byte, n))
		require.NoError(t, err)
		return c, peer
	}
	drained := func(t testing.TB, ctx context.Context) (c *aio.Conn, end func()) {
		c, peer := stdPair(t, ctx)
		go io.Copy(io.Discard, peer)
		return c, func() {
			require.NoError(t, c.Close())
			require.NoError(t, peer.Close())
		}
	}
	// Each begins what is to be done n times, and returns that.
	for name, begin := range map[string]func(t testing.TB, ctx context.Context) (once, end func()){
		"Conn.Read": func(t testing.TB, ctx context.Context) (once, end func()) {
			c, peer := flooded(t, ctx)
			return func() { must(t, 1)(c.Read(make([]byte, 1))) }, closer(t, c, peer)
		},
		"Conn.Write": func(t testing.TB, ctx context.Context) (once, end func()) {
			c, end := drained(t, ctx)
			return func() { must(t, 1)(c.Write(make([]byte, 1))) }, end
		},
		"Conn.WriteBuffers": func(t testing.TB, ctx context.Context) (once, end func()) {
			c, end := drained(t, ctx)
			return func() {
				written, err := c.WriteBuffers(&net.Buffers{{1}, {2}})
				must(t, 2)(int(written), err)
			}, end
		},
		"Conn.Read, Conn.Write, as a proxy": func(t testing.TB, ctx context.Context) (once, end func()) {
			from, peer := flooded(t, ctx)
			to, closeTo := drained(t, ctx)
			return func() {
				must(t, 1)(from.Read(make([]byte, 1)))
				must(t, 1)(to.Write(make([]byte, 1)))
			}, func() { closer(t, from, peer)(); closeTo() }
		},
		"Conn.Read after the deadline": func(t testing.TB, ctx context.Context) (once, end func()) {
			c, peer := pair(t, ctx)
			require.NoError(t, c.SetReadDeadline(time.Now()))
			return func() {
				_, err := c.Read(make([]byte, 1))
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			}, closer(t, c, peer)
		},
		"Conn.ReadFrom, Conn.WriteTo after Close": func(t testing.TB, ctx context.Context) (once, end func()) {
			c, peer := pair(t, ctx)
			require.NoError(t, c.Close())
			return func() {
				_, err := c.ReadFrom(strings.NewReader("x"))
				require.ErrorIs(t, err, net.ErrClosed)
				_, err = peer.WriteTo(c)
				require.ErrorIs(t, err, net.ErrClosed)
			}, closer(t, peer)
		},
		"PacketConn.WriteTo after Close": func(t testing.TB, ctx context.Context) (once, end func()) {
			p := packets(t, ctx, "udp", "127.0.0.1:0")
			require.NoError(t, p.Close())
			return func() {
				_, err := p.WriteTo(make([]byte, 1), p.LocalAddr())
				require.ErrorIs(t, err, net.ErrClosed)
			}, func() {}
		},
		"PacketConn.WriteTo nowhere": func(t testing.TB, ctx context.Context) (once, end func()) {
			p := packets(t, ctx, "udp", "127.0.0.1:0")
			return func() {
				_, err := p.WriteTo(make([]byte, 1), nil)
				require.ErrorIs(t, err, syscall.EINVAL)
			}, closer(t, p)
		},
		"RawConn.Write": func(t testing.TB, ctx context.Context) (once, end func()) {
			c, peer := pair(t, ctx)
			raw, err := c.SyscallConn()
			require.NoError(t, err)
			return func() { require.NoError(t, raw.Write(func(uintptr) bool { return true })) }, closer(t, c, peer)
		},
		"Stream.Write, Stream.Read": func(t testing.TB, ctx context.Context) (once, end func()) {
			r, w, err := aio.Pipe(ctx)
			require.NoError(t, err)
			return func() {
				must(t, 1)(w.Write(make([]byte, 1)))
				must(t, 1)(r.Read(make([]byte, 1)))
			}, closer(t, r, w)
		},
		"PacketConn.WriteTo, PacketConn.ReadFrom": func(t testing.TB, ctx context.Context) (once, end func()) {
			p := packets(t, ctx, "udp", "127.0.0.1:0")
			return func() {
				must(t, 1)(p.WriteTo(make([]byte, 1), p.LocalAddr()))
				read, _, err := p.ReadFrom(make([]byte, 1))
				must(t, 1)(read, err)
			}, closer(t, p)
		},
		"Dial, Listener.Accept": func(t testing.TB, ctx context.Context) (once, end func()) {
			l, err := aio.Listen(ctx, "unix", filepath.Join(t.(*testing.T).TempDir(), "l"))
			require.NoError(t, err)
			return func() {
				c, err := aio.Dial(ctx, "unix", l.Addr().String())
				require.NoError(t, err)
				peer, err := l.Accept()
				require.NoError(t, err)
				require.NoError(t, c.Close())
				require.NoError(t, peer.Close())
			}, closer(t, l)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				once, end := begin(t, ctx)
				o := newOthers(t, ctx, 3)
				for range n {
					once()
				}
				o.requireTurns(t, n)
				end()
				return nil
			})
		})
	}
}

// must requires that all of the bytes were moved.
func must(t testing.TB, all int) func(n int, err error) {
	return func(n int, err error) {
		if n != all || err != nil {
			t.Errorf("%d bytes of %d: %v", n, all, err)
		}
	}
}

func closer(t testing.TB, all ...io.Closer) func() {
	return func() {
		for _, c := range all {
			require.NoError(t, c.Close())
		}
	}
}

// Much at a time is dearer than little: it is not the calls alone that count.
func TestMuchAtATimeGivesWaySooner(t *testing.T) {
	const size, n = 64 << 10, 64
	run(t, func(ctx context.Context) error {
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		o := newOthers(t, ctx, 1)
		buf := make([]byte, size)
		for range n { // a pipe holds as much
			must(t, size)(w.Write(buf))
			must(t, size)(io.ReadFull(r, buf))
		}
		o.requireTurns(t, n*perTurn)
		closer(t, r, w)()
		return nil
	})
}

// A flooding peer keeps neither timers nor other connections of the loop waiting: as
// long as the flood may be, nobody who is ready waits for more than a few reads of it.
func TestFault_TK3_AFloodingPeer(t *testing.T) {
	run(t, func(ctx context.Context) error {
		flooded, peer := stdPair(t, ctx)
		flood, over := make(chan error, 1), false
		go func() {
			buf := make([]byte, 256<<10)
			for {
				if _, err := peer.Write(buf); err != nil {
					flood <- err
					return
				}
			}
		}()
		o := newOthers(t, ctx, 1)
		reads, inARow, longest, turns := 0, 0, 0, 0
		reader := scheduler.Go(ctx, func(context.Context) error {
			defer flooded.Close()
			buf := make([]byte, 256)
			for !over {
				if _, err := flooded.Read(buf); err != nil {
					return err
				}
				reads++
				if inARow++; o.turns[0] != turns {
					inARow, turns = 0, o.turns[0]
				}
				longest = max(longest, inARow)
			}
			return nil
		})
		var all []*scheduler.Coroutine
		for range 20 {
			all = append(all, scheduler.Go(ctx, func(ctx context.Context) error {
				for range 5 {
					if err := scheduler.Sleep(ctx, time.Millisecond); err != nil {
						return err
					}
				}
				return nil
			}), scheduler.Go(ctx, func(ctx context.Context) error {
				a, b := pair(t, ctx)
				defer closer(t, a, b)()
				echo := scheduler.Go(ctx, func(context.Context) error {
					_, err := io.CopyN(b, b, 50)
					return err
				})
				for range 50 {
					must(t, 1)(a.Write([]byte{1}))
					must(t, 1)(a.Read(make([]byte, 1)))
				}
				return echo.Await(ctx)
			}))
		}
		for _, c := range all {
			require.NoError(t, c.Await(ctx))
		}
		for reads <= perTurn { // on one processor the flood is slow to begin
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		}
		over = true
		require.NoError(t, reader.Await(ctx))
		require.Error(t, <-flood)
		require.LessOrEqual(t, longest, perTurn)
		o.stop = true
		return peer.Close()
	})
}

// What happens while a call gives way that has not begun finds it as it finds one that
// waits; and nothing is lost.
func TestGivingWayHeedsWhatHappens(t *testing.T) {
	const n = 1000
	for name, test := range map[string]struct {
		happens func(reader *scheduler.Coroutine, c *aio.Conn)
		want    error
	}{
		"cancellation": {func(reader *scheduler.Coroutine, _ *aio.Conn) { reader.Cancel(nil) }, context.Canceled},
		"deadline": {func(_ *scheduler.Coroutine, c *aio.Conn) {
			_ = c.SetReadDeadline(time.Now())
		}, os.ErrDeadlineExceeded},
		"close": {func(_ *scheduler.Coroutine, c *aio.Conn) { _ = c.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				c, peer := pair(t, ctx)
				defer peer.Close()
				sent, got := &numbers{}, &numbers{}
				buf := make([]byte, n)
				sent.fill(buf)
				must(t, n)(peer.Write(buf))
				reader := scheduler.Go(ctx, func(context.Context) error {
					var b [1]byte
					for got.at < n {
						switch read, err := c.Read(b[:]); {
						case err == nil:
							require.True(t, got.check(b[:read]))
						case test.want == net.ErrClosed:
							return err
						default:
							require.ErrorIs(t, err, test.want)
							require.Zero(t, read)
							require.NoError(t, c.SetReadDeadline(time.Time{}))
							for got.at < n { // and from then on nothing interrupts it
								read, err = c.Read(b[:])
								require.NoError(t, err)
								require.True(t, got.check(b[:read]))
							}
							return err
						}
					}
					return nil
				})
				require.NoError(t, scheduler.Yield(ctx))
				require.Equal(t, scheduler.Ready, reader.State(), "it gives way")
				at := got.at
				require.Less(t, at, uint64(n))
				test.happens(reader, c)
				err := reader.Await(ctx)
				if test.want == net.ErrClosed {
					require.ErrorIs(t, err, net.ErrClosed)
					require.Equal(t, at, got.at)
					return nil
				}
				require.EqualValues(t, n, got.at)
				return c.Close()
			})
		})
	}
}

// Where each request is waited for, its read and its write are no reason to give way.
func TestEchoGivesWayNoMoreThanItWaits(t *testing.T) {
	run(t, func(ctx context.Context) error {
		const trips = 1000
		a, b := pair(t, ctx)
		server := scheduler.Go(ctx, func(context.Context) error {
			_, err := io.CopyBuffer(struct{ io.Writer }{b}, struct{ io.Reader }{b}, make([]byte, 4096))
			return err
		})
		require.NoError(t, scheduler.Yield(ctx))
		s, buf := scheduler.Current(ctx).Scheduler(), make([]byte, 64)
		before := s.Stats().Switches
		for range trips {
			must(t, len(buf))(a.Write(buf))
			must(t, len(buf))(io.ReadFull(a, buf))
		}
		require.EqualValues(t, 2*trips, s.Stats().Switches-before, "to the server and back")
		require.NoError(t, a.CloseWrite())
		require.NoError(t, server.Await(ctx))
		closer(t, a, b)()
		return nil
	})
}

// unwind ends c, which is suspended, where it is.
func unwind(t testing.TB, ctx context.Context, c *scheduler.Coroutine) {
	t.Helper()
	require.NoError(t, c.OnSwitch(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool {
		runtime.Goexit()
		return false
	}}))
	c.Cancel(nil)
	require.ErrorIs(t, c.Await(ctx), scheduler.ErrGoexit)
}

// Who is unwound in the middle of a call takes nothing that comes later: the next
// gets it.
func TestCallsThatAreUnwound(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c, peer := pair(t, ctx)
		unwind(t, ctx, parked(t, ctx, c, func(int, error) {}))
		_, err := peer.Write([]byte("hello"))
		require.NoError(t, err)
		got := make([]byte, 5)
		_, err = io.ReadFull(c, got)
		require.NoError(t, err)
		require.Equal(t, "hello", string(got))
		closer(t, c, peer)()
		return nil
	})
}
