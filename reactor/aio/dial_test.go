//go:build linux

package aio_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestDialErrors(t *testing.T) {
	run(t, func(ctx context.Context) error {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, free.Close())
		for _, c := range []struct{ network, address string }{
			{"tcp5", "127.0.0.1:1"},
			{"tcp", "127.0.0.1"},
			{"tcp4", "[::1]:1"},
			{"tcp", free.Addr().String()},
			{"unix", "/no/such/socket"},
			{"tcp", "no-such-host.invalid:1"},
			{"tcp", "127.0.0.1:no-such-service"},
		} {
			_, want := net.Dial(c.network, c.address)
			require.Error(t, want, c)
			conn, err := aio.Dial(ctx, c.network, c.address)
			require.Error(t, err, c)
			require.Nil(t, conn)
			sameKind(t, want, err)
		}
		return nil
	})
}

func TestDialContextGivesNoTypedNil(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var d aio.Dialer
		c, err := d.DialContext(ctx, "tcp", "127.0.0.1")
		require.Error(t, err)
		require.True(t, c == nil)
		return nil
	})
}

// inProgress has connects fail as fail says of the n-th, and counts them; one that
// fails with EINPROGRESS takes for ever.
func inProgress(t testing.TB, fail func(n int) syscall.Errno) *int {
	n := new(int)
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallConnect {
			*n++
			f.Errno = fail(*n)
		}
		return f
	}))
	return n
}

func TestDialEndsWithItsContext(t *testing.T) {
	inProgress(t, func(int) syscall.Errno { return syscall.EINPROGRESS })
	run(t, func(ctx context.Context) error {
		cause := errors.New("enough")
		dialer := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := aio.Dial(ctx, "tcp", "127.0.0.1:1")
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, cause)
			_, err = aio.Dial(ctx, "tcp", "127.0.0.1:1")
			require.ErrorIs(t, err, context.Canceled, "at once, from then on")
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		dialer.Cancel(cause)
		require.NoError(t, dialer.Await(ctx))

		within, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err := aio.Dial(within, "tcp", "127.0.0.1:1")
		require.ErrorIs(t, err, context.DeadlineExceeded)

		d := aio.Dialer{Timeout: time.Millisecond}
		_, err = d.DialContext(ctx, "tcp", "127.0.0.1:1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var ne net.Error
		require.True(t, errors.As(err, &ne) && ne.Timeout())
		return nil
	})
}

// The next address is tried when the one before has been given a while, or has
// failed; the first that answers wins, and the others are given up.
func TestDialerTriesAddressesInTurn(t *testing.T) {
	addrs := []netip.Addr{netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.1")}
	for name, fail := range map[string]func(n int) syscall.Errno{
		"silent": func(n int) syscall.Errno { return [...]syscall.Errno{syscall.EINPROGRESS, 0}[min(n, 2)-1] },
		"failed": func(n int) syscall.Errno { return [...]syscall.Errno{syscall.ENETUNREACH, 0}[min(n, 2)-1] },
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			_, port, _ := net.SplitHostPort(l.Addr().String())
			tried := inProgress(t, fail)
			run(t, func(ctx context.Context) error {
				d := aio.Dialer{FallbackDelay: 2 * time.Millisecond}
				if name == "failed" {
					d.FallbackDelay = -1
				}
				c, err := d.DialContext(ctx, "tcp", "two.test:"+port)
				require.NoError(t, err)
				require.Equal(t, l.Addr().String(), c.RemoteAddr().String())
				require.Equal(t, 2, *tried)
				return c.Close()
			}, withHost(t, addrs))
		})
	}
}

func TestDialerLocalAddrAndControl(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		defer l.Close()
		var seen []string
		d := aio.Dialer{
			LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)},
			Control: func(network, address string, c syscall.RawConn) error {
				seen = append(seen, network, address)
				return nil
			},
		}
		c, err := d.DialContext(ctx, "tcp", l.Addr().String())
		require.NoError(t, err)
		require.Equal(t, "127.0.0.2", c.LocalAddr().(*net.TCPAddr).IP.String())
		require.Equal(t, []string{"tcp4", l.Addr().String()}, seen)
		require.NoError(t, c.Close())
		_, err = d.DialContext(ctx, "tcp", "[::1]:1")
		require.ErrorContains(t, err, "mismatched local address")
		d.LocalAddr = &net.UDPAddr{}
		_, err = d.DialContext(ctx, "tcp", l.Addr().String())
		require.ErrorContains(t, err, "mismatched local address")
		return nil
	})
}

// Dialing a unix socket whose backlog is full waits until it has room.
func TestDialUnixWaitsForTheBacklog(t *testing.T) {
	run(t, func(ctx context.Context) error {
		path := filepath.Join(t.TempDir(), "s")
		lc := aio.ListenConfig{Backlog: 1}
		l, err := lc.Listen(ctx, "unix", path)
		require.NoError(t, err)
		defer l.Close()
		var all []*scheduler.Future[*aio.Conn]
		for range 10 {
			all = append(all, scheduler.Spawn(ctx, func(ctx context.Context) (*aio.Conn, error) { return aio.Dial(ctx, "unix", path) }))
		}
		require.NoError(t, scheduler.Sleep(ctx, 5*time.Millisecond))
		require.False(t, all[9].Done())
		for range all {
			c, err := l.Accept()
			require.NoError(t, err)
			require.NoError(t, c.Close())
		}
		for _, f := range all {
			c, err := f.Await(ctx)
			require.NoError(t, err)
			require.NoError(t, c.Close())
		}
		return nil
	})
}

func TestDialDatagrams(t *testing.T) {
	run(t, func(ctx context.Context) error {
		p, err := aio.ListenPacket(ctx, "udp", "127.0.0.1:0")
		require.NoError(t, err)
		c, err := aio.Dial(ctx, "udp", p.LocalAddr().String())
		require.NoError(t, err)
		_, err = c.Write([]byte("ping"))
		require.NoError(t, err)
		buf := make([]byte, 8)
		n, from, err := p.ReadFrom(buf)
		require.NoError(t, err)
		require.Equal(t, "ping", string(buf[:n]))
		require.Equal(t, c.LocalAddr().String(), from.String())
		_, err = p.WriteTo(nil, from)
		require.NoError(t, err)
		n, err = c.Read(buf)
		require.NoError(t, err, "a datagram of nothing is no end")
		require.Zero(t, n)
		require.NoError(t, c.Close())
		return p.Close()
	})
}

// withHost has every name resolve to addrs.
func withHost(t testing.TB, addrs []netip.Addr) scheduler.Option {
	r, err := reactor.New(reactor.WithResolver(&net.Resolver{
		PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go answer(server, addrs)
			return client, nil
		},
	}))
	require.NoError(t, err)
	return scheduler.WithReactor(r)
}

// answer is a name server for one question.
func answer(c net.Conn, addrs []netip.Addr) {
	defer c.Close()
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	q := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, q); err != nil {
		return
	}
	end := 12 + bytes.IndexByte(q[12:], 0) + 5 // the question ends with type and class
	typ := binary.BigEndian.Uint16(q[end-4:])
	a := append([]byte(nil), q[:end]...)
	a[2], a[3] = 0x81, 0x80 // a response, recursion available
	binary.BigEndian.PutUint64(a[4:], 1<<48)
	for _, addr := range addrs {
		if want := map[uint16]bool{1: addr.Is4(), 28: addr.Is6()}; !want[typ] {
			continue
		}
		binary.BigEndian.PutUint16(a[6:], binary.BigEndian.Uint16(a[6:])+1)
		a = append(a, 0xc0, 12, 0, byte(typ), 0, 1, 0, 0, 0, 60, 0, byte(addr.BitLen()/8))
		a = append(a, addr.AsSlice()...)
	}
	_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(a))), a...))
}
