package aio

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/scheduler"
)

// ListenConfig holds what Listen does not ask for. The zero value is what Listen
// uses.
type ListenConfig struct {
	// Backlog is how many connections may wait to be accepted; 0 is as many as
	// the system allows.
	Backlog int
	// ReusePort lets several listeners, of this process or others, share the address.
	ReusePort bool
	// KeepAlive is what accepted connections begin with. The zero value enables
	// keep-alive with the defaults of package net.
	KeepAlive net.KeepAliveConfig
	// Control is called on the loop with the socket before it is bound. Network is
	// tcp4 or tcp6 where the caller's is tcp.
	Control func(network, address string, c syscall.RawConn) error
}

// defaultBacklog is cut to what the system allows.
const defaultBacklog = 4096

// Listen listens on "tcp", "tcp4", "tcp6" or "unix", as net.Listen does: an empty
// host is every address of the system, port 0 one that is free.
//
// It is called with a coroutine's ctx, by the coroutine, or by a goroutine off the
// loop, which it blocks; without one it fails with scheduler.ErrNotCoroutine. It
// suspends only where a name must be resolved. The listener belongs to the loop of
// ctx, and closes with it.
func Listen(ctx context.Context, network, address string) (*Listener, error) {
	var lc ListenConfig
	return lc.Listen(ctx, network, address)
}

// Listen is the function Listen with what lc says.
func (lc *ListenConfig) Listen(ctx context.Context, network, address string) (*Listener, error) {
	l, err := open(ctx, func(ctx context.Context) (*Listener, error) { return lc.listen(ctx, network, address) })
	return l, opError("listen", network, nil, nil, err)
}

func (lc *ListenConfig) listen(ctx context.Context, network, address string) (l *Listener, err error) {
	s := scheduler.Current(ctx).Scheduler()
	switch network {
	case "unix":
		return lc.listenAt(s, network, sys.Addr{Unix: true, Path: address})
	case "tcp", "tcp4", "tcp6":
	default:
		return nil, net.UnknownNetworkError(network)
	}
	addrs, err := resolve(ctx, network, address, toListen)
	if err != nil {
		return nil, err
	}
	return onFirst(addrs, func(a netip.AddrPort) (*Listener, error) {
		return lc.listenAt(s, network, sys.Addr{Net: a})
	})
}

// onFirst opens on one of the addresses: where they are every address of the
// system, on that of the second family if the system has not the first; of a
// name, on one for IPv4 if there is one.
func onFirst[T any](addrs []netip.AddrPort, open func(netip.AddrPort) (T, error)) (v T, err error) {
	if !addrs[0].Addr().IsUnspecified() {
		for _, a := range addrs {
			if a.Addr().Is4() {
				return open(a)
			}
		}
		return open(addrs[0])
	}
	for _, a := range addrs {
		if v, err = open(a); err == nil || !noFamily(err) {
			return v, err
		}
	}
	return v, err
}

// noFamily reports whether err says that the system has no such address family.
func noFamily(err error) bool {
	e, ok := err.(*os.SyscallError)
	return ok && (e.Err == syscall.EAFNOSUPPORT || e.Err == syscall.EADDRNOTAVAIL)
}

// listenAt listens on one address.
func (lc *ListenConfig) listenAt(s *scheduler.Scheduler, network string, addr sys.Addr) (*Listener, error) {
	k, err := newSocket(s, network, addr, lc.Control)
	if err != nil {
		return nil, err
	}
	if err := lc.prepare(k, addr); err != nil {
		k.io.Close()
		return nil, err
	}
	l := new(Listener)
	l.init(s, k.io, network)
	l.local, _ = k.names()
	l.SetUnlinkOnClose(true)
	if !addr.Unix && !sys.OptionsInherited() {
		ka := lc.KeepAlive
		l.setUp = func(fd int) { _ = setUp(fd, ka) } // fails where the peer is gone already
	}
	return l, nil
}

// prepare brings the socket to listen.
func (lc *ListenConfig) prepare(k *socket, addr sys.Addr) error {
	fd := k.io.Fd()
	if !addr.Unix {
		if err := option(sys.ReuseAddr(fd)); err != nil {
			return err
		}
		if err := setUp(fd, lc.KeepAlive); err != nil { // inherited by what is accepted
			return err
		}
	}
	if lc.ReusePort {
		if err := option(sys.ReusePort(fd)); err != nil {
			return err
		}
	}
	if err := k.bind(addr); err != nil {
		return err
	}
	backlog := lc.Backlog
	if backlog <= 0 {
		backlog = defaultBacklog
	}
	if errno := sys.Listen(fd, backlog); errno != 0 {
		return os.NewSyscallError("listen", errno)
	}
	return nil
}
