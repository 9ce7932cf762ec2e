package reactor

import (
	"context"
	"fmt"
	"net"
	"net/netip"
)

// Lookup fires once, when a host name has been resolved off the loop. Its
// failure is a [*net.DNSError]. Stopped midway it is told to end, and its answer
// is dropped; started again it asks again.
type Lookup struct {
	waiters
	r       *Reactor
	ctx     context.Context
	network string
	host    string
	starts  starts
	addrs   []netip.Addr
	current *lookupJob // while armed
	member  member
}

// lookupWorkers is how many look-ups a reactor has under way at once.
const lookupWorkers = 64

// lookupJob is one resolution on its way. Its outcome is the worker's until complete.
type lookupJob struct {
	lookup   *Lookup
	resolver *net.Resolver
	ctx      context.Context
	cancel   context.CancelFunc
	addrs    []netip.Addr
	err      error
}

// WithResolver has names looked up by res in place of [net.DefaultResolver].
func WithResolver(res *net.Resolver) Option {
	return func(r *Reactor) { r.resolver = res }
}

// NewLookup returns an idle lookup of host ("ip", "ip4" or "ip6"). It ends with
// ctx, too.
func (r *Reactor) NewLookup(ctx context.Context, network, host string) *Lookup {
	return &Lookup{r: r, ctx: ctx, network: network, host: host}
}

// Start begins the lookup; see [Event]. It fails with a net.UnknownNetworkError
// for any other network.
func (l *Lookup) Start() error {
	if l.r.closed {
		return net.ErrClosed
	}
	switch l.network {
	case "ip", "ip4", "ip6":
	default:
		return net.UnknownNetworkError(l.network)
	}
	if !l.starts.start() {
		return nil
	}
	l.pend()
	l.addrs = nil
	l.r.alive++
	l.r.armed.add(&l.member, l)
	j := &lookupJob{lookup: l, resolver: l.r.resolver}
	if j.resolver == nil {
		j.resolver = net.DefaultResolver
	}
	j.ctx, j.cancel = context.WithCancel(l.ctx)
	l.current = j
	l.r.begin(&l.r.lookups, j)
	return nil
}

// Stop undoes one Start; see [Event].
func (l *Lookup) Stop() {
	if l.starts.stop() {
		l.disarm()
	}
}

func (l *Lookup) disarm() {
	l.starts = 0
	l.r.alive--
	l.member.leave()
	l.current.cancel()
	l.current = nil
}

func (l *Lookup) abandon() {
	l.disarm()
	l.complete(net.ErrClosed)
}

// Addrs is the answer, nil before.
func (l *Lookup) Addrs() []netip.Addr { return l.addrs }

// String names the lookup: "lookup ip example.org".
func (l *Lookup) String() string { return fmt.Sprintf("lookup %s %s", l.network, l.host) }

// work implements job.
func (j *lookupJob) work() {
	defer j.cancel()
	j.addrs, j.err = j.resolver.LookupNetIP(j.ctx, j.lookup.network, j.lookup.host)
	for i, a := range j.addrs {
		j.addrs[i] = a.Unmap()
	}
}

// complete implements job.
func (j *lookupJob) complete() {
	l := j.lookup
	if l.current != j {
		return // stopped meanwhile
	}
	l.disarm()
	l.addrs = j.addrs
	l.r.fired++
	l.waiters.complete(j.err)
}

// orphaned implements job.
func (j *lookupJob) orphaned() { j.cancel() }
