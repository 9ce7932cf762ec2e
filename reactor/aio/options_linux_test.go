package aio_test

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor/aio"
)

func TestConnOptions(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		for _, c := range []*aio.Conn{a, b} {
			require.Equal(t, 1, option(t, c, unix.IPPROTO_TCP, unix.TCP_NODELAY), "from the start")
			require.Equal(t, 1, option(t, c, unix.SOL_SOCKET, unix.SO_KEEPALIVE), "from the start")
			require.NoError(t, c.SetNoDelay(false))
			require.Zero(t, option(t, c, unix.IPPROTO_TCP, unix.TCP_NODELAY))
			require.NoError(t, c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: 7 * time.Second, Interval: time.Second, Count: 3}))
			require.Equal(t, 3, option(t, c, unix.IPPROTO_TCP, unix.TCP_KEEPCNT))
			require.NoError(t, c.SetKeepAlivePeriod(1500*time.Millisecond))
			require.Equal(t, 2, option(t, c, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL), "rounded up")
			require.NoError(t, c.SetKeepAlive(false))
			require.Zero(t, option(t, c, unix.SOL_SOCKET, unix.SO_KEEPALIVE))
			require.NoError(t, c.SetLinger(0))
			require.NoError(t, c.SetReadBuffer(64<<10))
			require.NoError(t, c.Close())
			require.ErrorIs(t, c.SetNoDelay(true), net.ErrClosed)
		}
		return nil
	})
}

func TestListenConfig(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var seen []string
		lc := aio.ListenConfig{
			Backlog:   1,
			ReusePort: true,
			KeepAlive: net.KeepAliveConfig{Enable: true, Count: 3},
			Control: func(network, address string, c syscall.RawConn) error {
				seen = append(seen, network, address)
				return c.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 8192) })
			},
		}
		l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.Equal(t, []string{"tcp4", "127.0.0.1:0"}, seen)
		second, err := lc.Listen(ctx, "tcp", l.Addr().String())
		require.NoError(t, err, "with ReusePort")
		require.NoError(t, second.Close())
		a, err := aio.Dial(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		b, err := l.Accept()
		require.NoError(t, err)
		require.Equal(t, 3, option(t, b.(*aio.Conn), unix.IPPROTO_TCP, unix.TCP_KEEPCNT))
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
		require.NoError(t, l.Close())
		lc.Control = func(string, string, syscall.RawConn) error { return os.ErrPermission }
		_, err = lc.Listen(ctx, "tcp", "127.0.0.1:0")
		require.ErrorIs(t, err, os.ErrPermission)
		return nil
	})
}
