//go:build unix

package aio_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestListenerCloseEndsAccept(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		acceptor := scheduler.Go(ctx, func(context.Context) error {
			_, err := l.Accept()
			require.ErrorIs(t, err, net.ErrClosed)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, l.Close())
		require.ErrorIs(t, l.Close(), net.ErrClosed)
		_, err := l.Accept()
		require.ErrorIs(t, err, net.ErrClosed)
		return acceptor.Await(ctx)
	})
}

func TestListenerDeadline(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		defer l.Close()
		require.NoError(t, l.SetDeadline(time.Now().Add(time.Millisecond)))
		_, err := l.Accept()
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, l.SetDeadline(time.Time{}))
		c, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		s, err := l.Accept()
		require.NoError(t, err)
		require.NoError(t, s.Close())
		return c.Close()
	})
}

// A connection that comes together with a cancellation is delivered.
func TestListenerLosesNoConnection(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		defer l.Close()
		acceptor := scheduler.Go(ctx, func(context.Context) error {
			c, err := l.Accept()
			require.NoError(t, err)
			_, err = l.Accept()
			require.ErrorIs(t, err, context.Canceled)
			return c.Close()
		})
		require.NoError(t, scheduler.Yield(ctx))
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		wakeUnrun(t, ctx, acceptor)
		acceptor.Cancel(nil)
		return acceptor.Await(ctx)
	})
}

// withoutDescriptors has every accept fail for want of descriptors until the
// returned function is called, and counts the tries.
func withoutDescriptors(t testing.TB) (tries *int, more func()) {
	tries = new(int)
	over := false
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallAccept {
			if *tries++; !over {
				f.Errno = syscall.EMFILE
			}
		}
		return f
	}))
	return tries, func() { over = true }
}

func TestListenerPausesWithoutDescriptors(t *testing.T) {
	tries, more := withoutDescriptors(t)
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		defer l.Close()
		acceptor := scheduler.Go(ctx, func(context.Context) error {
			c, err := l.Accept()
			require.NoError(t, err)
			return c.Close()
		})
		c, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		require.NoError(t, scheduler.Sleep(ctx, 50*time.Millisecond))
		require.LessOrEqual(t, *tries, 8, "the pauses grow: 5, 10, 20 ms")
		more()
		require.NoError(t, acceptor.Await(ctx))
		return c.Close()
	})
}

// Close, a deadline and a cancellation reach an Accept that pauses.
func TestListenerPauseEnds(t *testing.T) {
	withoutDescriptors(t)
	run(t, func(ctx context.Context) error {
		ends := map[string]func(*aio.Listener, *scheduler.Coroutine){
			"close":    func(l *aio.Listener, _ *scheduler.Coroutine) { require.NoError(t, l.Close()) },
			"deadline": func(l *aio.Listener, _ *scheduler.Coroutine) { require.NoError(t, l.SetDeadline(time.Unix(1, 0))) },
			"cancel":   func(_ *aio.Listener, c *scheduler.Coroutine) { c.Cancel(nil) },
		}
		want := map[string]error{"close": net.ErrClosed, "deadline": os.ErrDeadlineExceeded, "cancel": context.Canceled}
		for name, end := range ends {
			l := listen(t, ctx)
			client, err := aio.Dial(ctx, "tcp", l.Addr().String())
			require.NoError(t, err)
			for _, off := range []bool{false, true} {
				if off && name != "close" {
					continue
				}
				l := l
				if off {
					l = listen(t, ctx)
					other, err := aio.Dial(ctx, "tcp", l.Addr().String())
					require.NoError(t, err)
					defer other.Close()
				}
				accept := func() error {
					_, err := l.Accept()
					require.ErrorIs(t, err, want[name], name)
					return nil
				}
				if off {
					f := scheduler.Offload(ctx, func(context.Context) (struct{}, error) { return struct{}{}, accept() })
					require.NoError(t, scheduler.Sleep(ctx, 10*time.Millisecond))
					end(l, nil)
					_, err = f.Await(ctx)
					require.NoError(t, err)
					continue
				}
				c := scheduler.Go(ctx, func(context.Context) error { return accept() })
				require.NoError(t, scheduler.Yield(ctx))
				require.Equal(t, scheduler.Suspended, c.State())
				end(l, c)
				require.NoError(t, c.Await(ctx))
			}
			_ = l.Close()
			require.NoError(t, client.Close())
		}
		return nil
	})
}

func TestListenerUnixSocket(t *testing.T) {
	run(t, func(ctx context.Context) error {
		path := filepath.Join(t.TempDir(), "s")
		l, err := aio.Listen(ctx, "unix", path)
		require.NoError(t, err)
		require.Equal(t, path, l.Addr().String())
		require.Equal(t, "unix", l.Addr().Network())
		a, err := aio.Dial(ctx, "unix", path)
		require.NoError(t, err)
		require.Equal(t, path, a.RemoteAddr().String())
		b, err := l.Accept()
		require.NoError(t, err)
		require.Equal(t, path, b.LocalAddr().String())
		_, err = a.Write([]byte("hello"))
		require.NoError(t, err)
		buf := make([]byte, 8)
		n, err := b.Read(buf)
		require.NoError(t, err)
		require.Equal(t, "hello", string(buf[:n]))
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
		require.NoError(t, l.Close())
		require.NoFileExists(t, path)
		l, err = aio.Listen(ctx, "unix", path)
		require.NoError(t, err, "so the name is free again")
		l.SetUnlinkOnClose(false)
		require.NoError(t, l.Close())
		require.FileExists(t, path)
		return nil
	})
}

// A wildcard address takes both families, a network of one family only that.
func TestListenFamilies(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for network, hosts := range map[string][]string{
			"tcp":  {"127.0.0.1", "::1"},
			"tcp4": {"127.0.0.1"},
			"tcp6": {"::1"},
		} {
			l, err := aio.Listen(ctx, network, ":0")
			require.NoError(t, err)
			_, port, err := net.SplitHostPort(l.Addr().String())
			require.NoError(t, err)
			for _, host := range hosts {
				c, err := aio.Dial(ctx, "tcp", net.JoinHostPort(host, port))
				require.NoError(t, err, "%s to %s", network, host)
				require.NoError(t, c.Close())
			}
			require.NoError(t, l.Close())
		}
		return nil
	})
}

// Bad input gets the error that package net gives.
func TestListenErrors(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var config net.ListenConfig
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer taken.Close()
		for _, c := range []struct{ network, address string }{
			{"tcp5", "127.0.0.1:0"},
			{"tcp", "127.0.0.1"},
			{"tcp", "127.0.0.1:http:x"},
			{"tcp", "127.0.0.1:99999"},
			{"tcp4", "[::1]:0"},
			{"tcp6", "127.0.0.1:0"},
			{"tcp", taken.Addr().String()},
			{"unix", "/no/such/directory/s"},
			{"tcp", "no-such-host.invalid:0"},
		} {
			_, want := config.Listen(context.Background(), c.network, c.address)
			require.Error(t, want, c)
			_, err := aio.Listen(ctx, c.network, c.address)
			require.Error(t, err, c)
			sameKind(t, want, err)
		}
		return nil
	})
}

// sameKind requires that err is of the kind that package net has given.
func sameKind(t testing.TB, want, err error) {
	t.Helper()
	var wantOp, op *net.OpError
	require.ErrorAs(t, want, &wantOp)
	require.ErrorAs(t, err, &op)
	require.Equal(t, wantOp.Op, op.Op)
	require.Equal(t, wantOp.Net, op.Net)
	require.IsType(t, wantOp.Err, op.Err, "%v is not like %v", err, want)
	if e, ok := wantOp.Err.(*os.SyscallError); ok {
		require.ErrorIs(t, err, e.Err)
		require.Equal(t, e.Syscall, op.Err.(*os.SyscallError).Syscall)
	}
}
