//go:build unix

package aio_test

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestLookupHost(t *testing.T) {
	run(t, func(ctx context.Context) error {
		addrs, err := aio.LookupHost(ctx, "127.0.0.1")
		require.NoError(t, err)
		require.Equal(t, []netip.Addr{netip.MustParseAddr("127.0.0.1")}, addrs)
		addrs, err = aio.LookupHost(ctx, "localhost")
		require.NoError(t, err)
		require.NotEmpty(t, addrs)
		require.True(t, addrs[0].IsLoopback())
		_, err = aio.LookupHost(ctx, "no such name")
		var dns *net.DNSError
		require.ErrorAs(t, err, &dns)
		return nil
	})
}

// silentReactor has look-ups that nobody answers; it tells of each question.
func silentReactor(t testing.TB) (scheduler.Option, <-chan struct{}) {
	asked := make(chan struct{}, 1000)
	r, err := reactor.New(reactor.WithResolver(&net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}))
	require.NoError(t, err)
	return scheduler.WithReactor(r), asked
}

// A look-up that nobody answers ends with its ctx, and holds up nothing.
func TestLookupHostEndsWithItsContext(t *testing.T) {
	silent, asked := silentReactor(t)
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := aio.LookupHost(ctx, "host.example.")
			require.ErrorIs(t, err, context.Canceled)
			return nil
		})
		_, err := scheduler.Offload(ctx, func(context.Context) (struct{}, error) { <-asked; return struct{}{}, nil }).Await(ctx)
		require.NoError(t, err)
		c.Cancel(nil)
		return c.Await(ctx)
	}, silent)
}
