//go:build unix

package aio_test

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func packets(t testing.TB, ctx context.Context, network, address string) *aio.PacketConn {
	t.Helper()
	p, err := aio.ListenPacket(ctx, network, address)
	require.NoError(t, err)
	return p
}

func TestPacketConn(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, network := range []string{"udp", "udp4", "udp6"} {
			address := "127.0.0.1:0"
			if network == "udp6" {
				address = "[::1]:0"
			}
			a, b := packets(t, ctx, network, address), packets(t, ctx, network, address)
			reader := scheduler.Go(ctx, func(context.Context) error {
				buf := make([]byte, 4)
				n, from, err := b.ReadFrom(buf)
				require.NoError(t, err)
				require.Equal(t, "long", string(buf[:n]), "what does not fit is lost")
				require.Equal(t, a.LocalAddr(), from)
				_, err = b.WriteTo(buf[:1], from)
				require.NoError(t, err)
				return nil
			})
			require.NoError(t, scheduler.Yield(ctx))
			n, err := a.WriteTo([]byte("long message"), b.LocalAddr())
			require.NoError(t, err)
			require.Equal(t, 12, n)
			require.NoError(t, reader.Await(ctx))
			buf := make([]byte, 4)
			n, from, err := a.ReadFromAddrPort(buf)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			require.Equal(t, b.LocalAddr().String(), from.String())

			require.NoError(t, a.SetReadDeadline(time.Now().Add(time.Millisecond)))
			_, _, err = a.ReadFrom(buf)
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			_, err = a.WriteTo(bytes.Repeat([]byte("x"), 1<<17), b.LocalAddr())
			require.ErrorIs(t, err, syscall.EMSGSIZE)
			_, err = a.WriteTo(buf, &net.UnixAddr{Name: "x", Net: "unixgram"})
			require.ErrorIs(t, err, syscall.EINVAL)
			_, err = a.WriteTo(buf, nil)
			require.ErrorIs(t, err, syscall.EINVAL)
			require.NoError(t, a.Close())
			require.NoError(t, b.Close())
			_, _, err = a.ReadFrom(buf)
			require.ErrorIs(t, err, net.ErrClosed)
			_, err = a.WriteTo(buf, b.LocalAddr())
			require.ErrorIs(t, err, net.ErrClosed)
			require.ErrorIs(t, a.Close(), net.ErrClosed)
		}
		return nil
	})
}

// A socket for both families speaks IPv4 with IPv4 addresses.
func TestPacketConnOfBothFamilies(t *testing.T) {
	run(t, func(ctx context.Context) error {
		both := packets(t, ctx, "udp", ":0")
		four := packets(t, ctx, "udp4", "127.0.0.1:0")
		port := both.LocalAddr().(*net.UDPAddr).AddrPort().Port()
		_, err := four.WriteToAddrPort([]byte("x"), netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port))
		require.NoError(t, err)
		_, from, err := both.ReadFrom(make([]byte, 8))
		require.NoError(t, err)
		require.Equal(t, four.LocalAddr(), from)
		_, err = both.WriteTo([]byte("y"), from)
		require.NoError(t, err)
		_, _, err = four.ReadFrom(make([]byte, 8))
		require.NoError(t, err)
		require.NoError(t, both.Close())
		return four.Close()
	})
}

func TestPacketConnUnixgram(t *testing.T) {
	run(t, func(ctx context.Context) error {
		dir := t.TempDir()
		a := packets(t, ctx, "unixgram", filepath.Join(dir, "a"))
		b := packets(t, ctx, "unixgram", filepath.Join(dir, "b"))
		require.Equal(t, "unixgram", a.LocalAddr().Network())
		// More than the receiver's queue takes: the writer waits for the reader.
		const n = 1000
		writer := scheduler.Go(ctx, func(context.Context) error {
			for i := range n {
				_, err := a.WriteTo([]byte{byte(i)}, b.LocalAddr())
				require.NoError(t, err)
			}
			return nil
		})
		buf := make([]byte, 8)
		for i := range n {
			size, from, err := b.ReadFrom(buf)
			require.NoError(t, err)
			require.Equal(t, 1, size)
			require.Equal(t, byte(i), buf[0])
			require.Equal(t, a.LocalAddr(), from)
		}
		require.NoError(t, writer.Await(ctx))
		require.NoError(t, a.Close())
		return b.Close()
	})
}

func TestPacketConnFromOtherGoroutines(t *testing.T) {
	ctx := background(t)
	a, b := packets(t, ctx, "udp", "127.0.0.1:0"), packets(t, ctx, "udp", "127.0.0.1:0")
	_, err := a.WriteTo([]byte("x"), b.LocalAddr())
	require.NoError(t, err)
	_, from, err := b.ReadFrom(make([]byte, 8))
	require.NoError(t, err)
	require.Equal(t, a.LocalAddr(), from)
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
}

func TestPacketConnSteadyWorkAllocatesNothing(t *testing.T) {
	if portable {
		t.Skip("needs a build without the tag portable: there, telling goroutines apart allocates")
	}
	run(t, func(ctx context.Context) error {
		a, b := packets(t, ctx, "udp", "127.0.0.1:0"), packets(t, ctx, "udp", "127.0.0.1:0")
		to := b.LocalAddr().(*net.UDPAddr).AddrPort()
		buf := make([]byte, 64)
		trip := func() {
			_, err := a.WriteToAddrPort(buf, to)
			if err == nil {
				_, _, err = b.ReadFromAddrPort(buf)
			}
			if err != nil {
				t.Error(err)
			}
		}
		trip()
		require.Zero(t, testing.AllocsPerRun(1000, trip))
		require.NoError(t, a.Close())
		return b.Close()
	})
}

func TestListenPacketErrors(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, c := range []struct{ network, address string }{
			{"udp5", ":0"}, {"tcp", ":0"}, {"udp", "x"}, {"udp4", "[::1]:0"}, {"unixgram", "/no/such/directory/s"},
		} {
			_, err := aio.ListenPacket(ctx, c.network, c.address)
			var op *net.OpError
			require.ErrorAs(t, err, &op, c)
			require.Equal(t, "listen", op.Op)
		}
		return nil
	})
}
