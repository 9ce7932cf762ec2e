package aio

import (
	"context"
	"net/netip"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// LookupHost gives the addresses of a host, in order of preference; of an address
// it gives that. It is looked up off the loop, with a coroutine's ctx as [Listen]
// is called. The error is a [*net.DNSError], or that of the end of ctx.
func LookupHost(ctx context.Context, host string) ([]netip.Addr, error) {
	return open(ctx, func(ctx context.Context) ([]netip.Addr, error) {
		if ip, err := netip.ParseAddr(host); err == nil {
			return []netip.Addr{ip}, nil
		}
		return lookup(ctx, "ip", host)
	})
}

// lookup resolves a name on the network "ip", "ip4" or "ip6", for the running
// coroutine.
func lookup(ctx context.Context, network, host string) ([]netip.Addr, error) {
	l := scheduler.Current(ctx).Scheduler().Reactor().NewLookup(ctx, network, host)
	if _, err := scheduler.Suspend(ctx, reactor.Event(l)); err != nil {
		return nil, err
	}
	return l.Addrs(), nil
}
