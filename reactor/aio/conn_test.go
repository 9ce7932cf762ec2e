//go:build unix

package aio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestConnEchoes(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		scheduler.Go(ctx, func(ctx context.Context) error {
			c, err := l.Accept()
			require.NoError(t, err)
			require.Equal(t, l.Addr().String(), c.LocalAddr().String())
			_, err = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c})
			require.NoError(t, err)
			return c.Close()
		})
		c, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		require.Equal(t, l.Addr().String(), c.RemoteAddr().String())
		for range 100 {
			_, err = c.Write([]byte("hello"))
			require.NoError(t, err)
			b := make([]byte, 5)
			_, err = io.ReadFull(c, b)
			require.NoError(t, err)
			require.Equal(t, "hello", string(b))
		}
		require.NoError(t, c.Close())
		return l.Close()
	})
}

// A write larger than the system's buffers suspends its coroutine, and another
// reads it meanwhile.
func TestConnWritesMoreThanFits(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		want := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
		scheduler.Go(ctx, func(context.Context) error {
			n, err := a.Write(want)
			require.NoError(t, err)
			require.Equal(t, len(want), n)
			return a.Close()
		})
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		return b.Close()
	})
}

func TestConnFromOtherGoroutinesBlocks(t *testing.T) {
	ctx := background(t)
	a, b := pair(t, ctx)
	read := make(chan string)
	go func() {
		buf := make([]byte, 16)
		n, err := b.Read(buf)
		read <- string(buf[:n])
		require.NoError(t, err)
		_, err = b.Read(buf)
		require.ErrorIs(t, err, net.ErrClosed)
		close(read)
	}()
	_, err := a.Write([]byte("hello"))
	require.NoError(t, err)
	require.Equal(t, "hello", <-read)
	require.NoError(t, b.Close())
	<-read
	require.ErrorIs(t, b.Close(), net.ErrClosed)
	require.NoError(t, a.Close())
}

func TestConnAfterItsLoopHasEnded(t *testing.T) {
	clean(t)
	var a, b *aio.Conn
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		a, b = pair(t, ctx)
		return nil
	}))
	_, err := a.Read(make([]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = b.Write(make([]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, a.Close(), net.ErrClosed)
}

// The end of the loop ends what other goroutines wait for.
func TestConnWhileItsLoopEnds(t *testing.T) {
	clean(t)
	done := make(chan error, 1)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		a, b := pair(t, ctx)
		under := scheduler.Offload(ctx, func(context.Context) (struct{}, error) {
			go func() {
				_, err := a.Read(make([]byte, 2))
				done <- err
			}()
			return struct{}{}, nil
		})
		_, err := under.Await(ctx)
		require.NoError(t, err)
		_ = b
		return nil
	}))
	require.ErrorIs(t, <-done, net.ErrClosed)
}

// A cancellation interrupts one call; later ones work.
func TestConnIsInterruptedOnce(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer b.Close()
		cause := errors.New("enough")
		c := scheduler.Go(ctx, func(context.Context) error {
			defer a.Close()
			_, err := a.Read(make([]byte, 1))
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, cause)
			_, flushErr := a.Write([]byte("bye"))
			require.NoError(t, flushErr)
			return err
		})
		require.NoError(t, scheduler.Yield(ctx))
		c.Cancel(cause)
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		require.Equal(t, "bye", string(got))
		require.ErrorIs(t, c.Await(ctx), context.Canceled)
		require.True(t, c.Cancelled())
		return nil
	})
}

// What comes together with a cancellation is delivered; the interruption then hits
// the next call.
func TestConnLosesNothingToAnInterruption(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer a.Close()
		defer b.Close()
		reader := scheduler.Go(ctx, func(context.Context) error {
			buf := make([]byte, 8)
			n, err := a.Read(buf)
			require.NoError(t, err)
			require.Equal(t, "x", string(buf[:n]))
			_, err = a.Write([]byte("y"))
			require.ErrorIs(t, err, context.Canceled)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		_, err := b.Write([]byte("x"))
		require.NoError(t, err)
		wakeUnrun(t, ctx, reader)
		reader.Cancel(nil)
		return reader.Await(ctx)
	})
}

// wakeUnrun has the reactor wake c, which does not run yet.
func wakeUnrun(t testing.TB, ctx context.Context, c *scheduler.Coroutine) {
	for c.State() == scheduler.Suspended {
		_, err := scheduler.Current(ctx).Scheduler().Reactor().Execute(true)
		require.NoError(t, err)
	}
	require.Equal(t, scheduler.Ready, c.State())
}

func TestConnInACallbackRefusesToWait(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer a.Close()
		defer b.Close()
		refused := make(chan error, 1)
		require.NoError(t, scheduler.Current(ctx).Scheduler().Post(func() {
			_, err := a.Read(make([]byte, 1))
			refused <- err
		}))
		require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		require.ErrorIs(t, <-refused, scheduler.ErrNotCoroutine)
		return nil
	})
}

func TestConnSteadyWorkAllocatesNothing(t *testing.T) {
	if portable {
		t.Skip("needs a build without the tag portable: there, telling goroutines apart allocates")
	}
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		scheduler.Go(ctx, func(context.Context) error {
			buf := make([]byte, 64)
			for {
				n, err := b.Read(buf)
				if err == io.EOF {
					return b.Close()
				}
				require.NoError(t, err)
				_, err = b.Write(buf[:n])
				require.NoError(t, err)
			}
		})
		buf := make([]byte, 64)
		trip := func() {
			_, err := a.Write(buf)
			if err != nil {
				t.Error(err)
			}
			if _, err := io.ReadFull(a, buf); err != nil {
				t.Error(err)
			}
		}
		trip()
		require.Zero(t, testing.AllocsPerRun(1000, trip))
		require.NoError(t, a.SetDeadline(time.Now().Add(time.Hour)))
		trip()
		require.Zero(t, testing.AllocsPerRun(1000, func() {
			_ = a.SetDeadline(time.Now().Add(time.Hour))
			trip()
		}), "nor with deadlines")
		return a.Close()
	})
}

// One coroutine reads, and waits most of the time, while another writes.
func TestConnReaderBesideWriterAllocatesNothing(t *testing.T) {
	if portable {
		t.Skip("needs a build without the tag portable: there, telling goroutines apart allocates")
	}
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		var all []*scheduler.Coroutine
		reads := func(c *aio.Conn, then func([]byte) error) {
			all = append(all, scheduler.Go(ctx, func(context.Context) error {
				buf := make([]byte, 64)
				for {
					n, err := c.Read(buf)
					if err == io.EOF {
						return c.Close()
					}
					if err == nil {
						err = then(buf[:n])
					}
					if err != nil {
						return err
					}
				}
			}))
		}
		back := 0
		reads(a, func(buf []byte) error { back += len(buf); return nil })
		reads(b, func(buf []byte) error { _, err := b.Write(buf); return err })
		buf := make([]byte, 64)
		trip := func() {
			must(t, len(buf))(a.Write(buf))
			for back = 0; back < len(buf); {
				_ = scheduler.Yield(ctx)
			}
		}
		trip()
		require.Zero(t, testing.AllocsPerRun(1000, trip))
		require.NoError(t, a.CloseWrite())
		for _, c := range all {
			require.NoError(t, c.Await(ctx))
		}
		return nil
	})
}

func TestConnHalfCloses(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		server := scheduler.Go(ctx, func(context.Context) error {
			got, err := io.ReadAll(b)
			require.NoError(t, err)
			require.Equal(t, "question", string(got))
			_, err = b.Write([]byte("answer"))
			require.NoError(t, err)
			return b.Close()
		})
		_, err := a.Write([]byte("question"))
		require.NoError(t, err)
		require.NoError(t, a.CloseWrite())
		_, err = a.Write([]byte("more"))
		require.ErrorIs(t, err, syscall.EPIPE)
		got, err := io.ReadAll(a)
		require.NoError(t, err)
		require.Equal(t, "answer", string(got))
		require.NoError(t, server.Await(ctx))
		return a.Close()
	})
}

func TestConnCloseReadEndsAReadUnderWay(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer b.Close()
		defer a.Close()
		reader := scheduler.Go(ctx, func(context.Context) error {
			_, err := a.Read(make([]byte, 1))
			require.Equal(t, io.EOF, err)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, a.CloseRead())
		return reader.Await(ctx)
	})
}

func TestConnWriteBuffers(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		require.NoError(t, a.SetWriteBuffer(4096))
		big := bytes.Repeat([]byte("x"), 1<<20)
		bufs := net.Buffers{[]byte("hello "), nil, []byte("world"), big, {}}
		writer := scheduler.Go(ctx, func(context.Context) error {
			n, err := a.WriteBuffers(&bufs)
			require.NoError(t, err)
			require.EqualValues(t, 11+len(big), n)
			require.Empty(t, bufs)
			return a.Close()
		})
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		require.True(t, bytes.Equal(append([]byte("hello world"), big...), got))
		require.NoError(t, b.Close())
		return writer.Await(ctx)
	})
}

// What an interrupted WriteBuffers has not written stays in the buffers.
func TestConnWriteBuffersKeepsWhatIsLeft(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		big := bytes.Repeat([]byte("x"), 16<<20)
		bufs := net.Buffers{[]byte("head"), big, []byte("tail")}
		writer := scheduler.Spawn(ctx, func(context.Context) (int64, error) {
			n, err := a.WriteBuffers(&bufs)
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			return n, nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, a.SetWriteDeadline(time.Unix(1, 0)))
		n, err := writer.Await(ctx)
		require.NoError(t, err)
		left := 0
		for _, b := range bufs {
			left += len(b)
		}
		require.EqualValues(t, 8+len(big), n+int64(left))
		require.NoError(t, a.Close())
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		require.EqualValues(t, n, len(got), "the peer has what was reported")
		return b.Close()
	})
}

// Concurrent writes do not interleave, however large, from wherever they come.
func TestConnWritesDoNotInterleave(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		const size = 1 << 20
		var all []*scheduler.Future[int]
		for i := range 4 {
			buf := bytes.Repeat([]byte{byte('a' + i)}, size)
			all = append(all, scheduler.Spawn(ctx, func(context.Context) (int, error) { return a.Write(buf) }))
			all = append(all, scheduler.Offload(ctx, func(context.Context) (int, error) { return a.Write(buf) }))
		}
		got := make([]byte, size)
		for range all {
			_, err := io.ReadFull(b, got)
			require.NoError(t, err)
			require.Equal(t, size, bytes.Count(got, got[:1]))
		}
		for _, f := range all {
			n, err := f.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, size, n)
		}
		return errors.Join(a.Close(), b.Close())
	})
}

func TestConnErrorsAreOpErrors(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		require.NoError(t, b.Close())
		require.NoError(t, a.Close())
		_, err := a.Read(make([]byte, 1))
		var op *net.OpError
		require.ErrorAs(t, err, &op)
		require.Equal(t, "read", op.Op)
		require.Equal(t, "tcp", op.Net)
		require.Equal(t, a.LocalAddr(), op.Source)
		require.Equal(t, a.RemoteAddr(), op.Addr)
		require.ErrorIs(t, err, net.ErrClosed)
		return nil
	})
}

// BenchmarkEcho is round trips between two coroutines.
func BenchmarkEcho(b *testing.B) {
	run(b, func(ctx context.Context) error {
		client, server := pair(b, ctx)
		scheduler.Go(ctx, func(context.Context) error { return echo(server) })
		return trips(b, client)
	})
}

// BenchmarkEchoOffTheLoop is the same between two goroutines that the loop works for.
func BenchmarkEchoOffTheLoop(b *testing.B) {
	client, server := pair(b, background(b))
	ended := make(chan error)
	go func() { ended <- echo(server) }()
	require.NoError(b, trips(b, client))
	require.NoError(b, <-ended)
}

// echo sends back what comes, until the end.
func echo(c *aio.Conn) error {
	buf := make([]byte, 4096)
	for {
		n, err := c.Read(buf)
		if err == io.EOF {
			return c.Close()
		}
		if err == nil {
			_, err = c.Write(buf[:n])
		}
		if err != nil {
			return err
		}
	}
}

// trips makes round trips over a connection to echo, and closes it.
func trips(b *testing.B, client *aio.Conn) error {
	buf := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Write(buf[:64]); err != nil {
			return err
		}
		if _, err := client.Read(buf); err != nil {
			return err
		}
	}
	return client.Close()
}
