package reactor_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

// silent is a resolver whose server never answers. It tells of each question.
func silent(asked chan<- struct{}) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}
}

func TestLookup(t *testing.T) {
	r := newReactor(t)
	l := r.NewLookup(context.Background(), "ip4", "127.0.0.1")
	n := count(l)
	require.Nil(t, l.Addrs())
	require.NoError(t, l.Start())
	require.NoError(t, l.Start())
	require.True(t, r.Alive())
	until(t, r, func() bool { return *n > 0 })
	require.Equal(t, []netip.Addr{netip.MustParseAddr("127.0.0.1")}, l.Addrs())
	require.False(t, r.Alive())
	require.Equal(t, "lookup ip4 127.0.0.1", l.String())

	require.NoError(t, l.Start())
	require.Nil(t, l.Addrs(), "asked anew")
	until(t, r, func() bool { return *n > 1 })
}

func TestLookupFailures(t *testing.T) {
	r := newReactor(t)
	var unknown net.UnknownNetworkError
	require.ErrorAs(t, r.NewLookup(context.Background(), "tcp", "localhost").Start(), &unknown)

	l := r.NewLookup(context.Background(), "ip", "no such name")
	var got error
	l.Subscribe(func(err error) { got = err })
	mustStart(t, l)
	until(t, r, func() bool { return got != nil })
	var dns *net.DNSError
	require.ErrorAs(t, got, &dns)
	require.Nil(t, l.Addrs())
}

func TestLookupEndsWithItsContext(t *testing.T) {
	asked := make(chan struct{}, 100)
	r := newReactor(t, reactor.WithResolver(silent(asked)))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	l := r.NewLookup(ctx, "ip4", "host.example.")
	var got error
	l.Subscribe(func(err error) { got = err })
	mustStart(t, l)
	<-asked
	cancel()
	until(t, r, func() bool { return got != nil })
	require.True(t, errors.Is(got, context.Canceled), got)
}

func TestStoppedLookupSaysNothing(t *testing.T) {
	asked := make(chan struct{}, 100)
	r := newReactor(t, reactor.WithResolver(silent(asked)))
	stopped := r.NewLookup(context.Background(), "ip4", "stopped.example.")
	closed := r.NewLookup(context.Background(), "ip4", "closed.example.")
	ns, nc := count(stopped), count(closed)
	mustStart(t, stopped)
	<-asked
	stopped.Stop()
	stopped.Stop()
	require.False(t, r.Alive())
	mustStart(t, closed)
	<-asked
	require.NoError(t, r.Close())
	require.Zero(t, *ns)
	require.Equal(t, 1, *nc)
	require.ErrorIs(t, closed.Start(), net.ErrClosed)
}
