package aio

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/scheduler"
)

// PacketConn is a net.PacketConn: a socket of datagrams. Its methods are safe from
// any goroutine, as those of [Conn] are.
type PacketConn struct{ endpoint }

var _ net.PacketConn = (*PacketConn)(nil)

// ListenPacket opens a socket on "udp", "udp4", "udp6" or "unixgram", as
// net.ListenPacket does; for its ctx see [Listen].
func ListenPacket(ctx context.Context, network, address string) (*PacketConn, error) {
	var lc ListenConfig
	return lc.ListenPacket(ctx, network, address)
}

// ListenPacket is the function ListenPacket with what lc says.
func (lc *ListenConfig) ListenPacket(ctx context.Context, network, address string) (*PacketConn, error) {
	p, err := open(ctx, func(ctx context.Context) (*PacketConn, error) { return lc.listenPacket(ctx, network, address) })
	return p, opError("listen", network, nil, nil, err)
}

func (lc *ListenConfig) listenPacket(ctx context.Context, network, address string) (*PacketConn, error) {
	s := scheduler.Current(ctx).Scheduler()
	switch network {
	case "unixgram":
		return lc.packetAt(s, network, sys.Addr{Unix: true, Path: address})
	case "udp", "udp4", "udp6":
	default:
		return nil, net.UnknownNetworkError(network)
	}
	addrs, err := resolve(ctx, network, address, toListen)
	if err != nil {
		return nil, err
	}
	return onFirst(addrs, func(a netip.AddrPort) (*PacketConn, error) {
		return lc.packetAt(s, network, sys.Addr{Net: a})
	})
}

// packetAt opens a socket on one address.
func (lc *ListenConfig) packetAt(s *scheduler.Scheduler, network string, addr sys.Addr) (*PacketConn, error) {
	k, err := newSocket(s, network, addr, lc.Control)
	if err != nil {
		return nil, err
	}
	if lc.ReusePort {
		err = option(sys.ReusePort(k.io.Fd()))
	}
	if err == nil {
		err = k.bind(addr)
	}
	if err != nil {
		k.io.Close()
		return nil, err
	}
	p := new(PacketConn)
	p.init(s, k.io, network)
	p.local, _ = k.names()
	return p, nil
}

// ReadFrom receives one datagram; what does not fit into b is lost. The sender is a
// *net.UDPAddr or *net.UnixAddr, nil where it has no address. Interrupted, it has
// taken nothing.
func (p *PacketConn) ReadFrom(b []byte) (int, net.Addr, error) {
	a, m := call{kind: receive, buf: b}, more{}
	if err := p.in.doMore(&a, &m); err != nil {
		return a.n, nil, p.wrap("read", err)
	}
	from := sys.Addr{Net: m.peer, Path: m.path, Unix: m.path != ""}
	return a.n, netAddr(p.network, from), nil
}

// ReadFromAddrPort is ReadFrom for the internet networks; it allocates nothing.
func (p *PacketConn) ReadFromAddrPort(b []byte) (int, netip.AddrPort, error) {
	a, m := call{kind: receive, buf: b}, more{}
	if err := p.in.doMore(&a, &m); err != nil {
		return a.n, netip.AddrPort{}, p.wrap("read", err)
	}
	return a.n, unmapped(m.peer), nil
}

// WriteTo sends b as one datagram to addr, which is of the type that the socket's
// network has, and waits for room where the system has none.
func (p *PacketConn) WriteTo(b []byte, addr net.Addr) (int, error) {
	a, m := call{kind: send, buf: b}, more{}
	to := sysAddr(addr)
	switch {
	case !to.Valid(), to.Unix != strings.HasPrefix(p.network, "unix"):
		err := p.out.admit()
		if err == nil {
			err = syscall.EINVAL
		}
		return 0, p.wrapTo(addr, err)
	case to.Unix:
		a.kind, m.path = sendToPath, to.Path
	default:
		m.peer = to.Net
	}
	err := p.out.doMore(&a, &m)
	if err != nil {
		return a.n, p.wrapTo(addr, err)
	}
	return a.n, nil
}

// WriteToAddrPort is WriteTo for the internet networks; it allocates nothing.
func (p *PacketConn) WriteToAddrPort(b []byte, addr netip.AddrPort) (int, error) {
	a := call{kind: send, buf: b}
	if err := p.out.doMore(&a, &more{peer: unmapped(addr)}); err != nil {
		return a.n, p.wrapTo(net.UDPAddrFromAddrPort(addr), err)
	}
	return a.n, nil
}

func (p *PacketConn) wrapTo(addr net.Addr, err error) error {
	return &net.OpError{Op: "write", Net: p.network, Source: p.local, Addr: addr, Err: err}
}
