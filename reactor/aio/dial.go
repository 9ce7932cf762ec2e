package aio

import (
	"context"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Dialer holds what Dial does not ask for. The zero value is what Dial uses.
type Dialer struct {
	// Timeout limits the whole of a dial, by the scheduler's clock; 0 is no limit.
	Timeout time.Duration
	// LocalAddr is the own address, a *net.TCPAddr or *net.UnixAddr; nil has the
	// system choose.
	LocalAddr net.Addr
	// FallbackDelay is how long a name's first address family is given before the
	// other is tried at the same time; 0 is 300 ms, less than 0 never.
	FallbackDelay time.Duration
	// Control is called on the loop with each socket before it is connected. Network
	// is tcp4 or tcp6 where the caller's is tcp.
	Control func(network, address string, c syscall.RawConn) error
}

// Dial connects on "tcp", "tcp4", "tcp6" or "unix", as net.Dial does.
func Dial(ctx context.Context, network, address string) (*Conn, error) {
	var d Dialer
	return d.dialContext(ctx, network, address)
}

// DialContext is the function Dial with what d says; its result is a [*Conn].
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.dialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (d *Dialer) dialContext(ctx context.Context, network, address string) (*Conn, error) {
	c, err := open(ctx, func(ctx context.Context) (*Conn, error) { return d.dial(ctx, network, address) })
	return c, opError("dial", network, nil, nil, err)
}

func (d *Dialer) dial(ctx context.Context, network, address string) (*Conn, error) {
	switch network {
	case "unix":
		return d.dialAddr(ctx, network, &net.UnixAddr{Name: address, Net: network})
	case "tcp", "tcp4", "tcp6":
	default:
		return nil, net.UnknownNetworkError(network)
	}
	addrs, err := resolve(ctx, network, address, toDial)
	if err != nil {
		return nil, err
	}
	return d.dialAddr(ctx, network, net.TCPAddrFromAddrPort(addrs[0]))
}

func (d *Dialer) dialAddr(ctx context.Context, network string, to net.Addr) (*Conn, error) {
	co := scheduler.Current(ctx)
	target := sysAddr(to)
	k, err := newSocket(co.Scheduler(), network, target, d.Control)
	if err != nil {
		return nil, opError("dial", network, nil, to, err)
	}
	c := new(Conn)
	c.init(co.Scheduler(), k.io, network)
	if !target.Unix {
		err = setUp(k.io.Fd(), net.KeepAliveConfig{})
	}
	if err == nil {
		a := call{kind: connect, addr: to}
		err = c.out.suspend(ctx, co, &a)
	}
	if err != nil {
		_ = c.close()
		return nil, opError("dial", network, nil, to, err)
	}
	c.local, c.remote = k.names()
	return c, nil
}

// sysAddr is a as the system calls have it.
func sysAddr(a net.Addr) sys.Addr {
	switch a := a.(type) {
	case *net.TCPAddr:
		return sys.Addr{Net: unmapped(a.AddrPort())}
	case *net.UDPAddr:
		return sys.Addr{Net: unmapped(a.AddrPort())}
	case *net.UnixAddr:
		return sys.Addr{Unix: true, Path: a.Name}
	}
	return sys.Addr{Net: netip.AddrPort{}}
}
