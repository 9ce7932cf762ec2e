package aio

import (
	"context"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// defaultFallbackDelay is what package net waits, too.
const defaultFallbackDelay = 300 * time.Millisecond

// race dials the addresses, each a while after the one before, or as soon as that
// has failed, until one has been reached. Where none can be, the first failure
// counts.
func (d *Dialer) race(ctx context.Context, tries []*attempt) (*Conn, error) {
	s := scheduler.Current(ctx).Scheduler()
	delay := d.FallbackDelay
	if delay == 0 {
		delay = defaultFallbackDelay
	}
	patience := s.Reactor().NewTimer(delay, 0)
	var (
		under []*attempt
		first error
	)
	defer func() {
		for _, a := range under {
			a.abandon()
		}
	}()
	for next := true; ; {
		if next && len(tries) > 0 {
			a := tries[0]
			tries = tries[1:]
			a.begin(s, d.Control)
			under = append(under, a)
			patience.Reset(delay)
		}
		next = false
		for i := 0; i < len(under); {
			a := under[i]
			done, err := a.outcome()
			switch {
			case !done:
				i++
				continue
			case err == nil:
				under = append(under[:i], under[i+1:]...)
				return a.conn(s), nil
			}
			a.abandon()
			under = append(under[:i], under[i+1:]...)
			if next = true; first == nil {
				first = a.fail(err)
			}
		}
		switch {
		case next && len(tries) > 0:
			continue
		case len(under) == 0:
			return nil, first
		}
		events := make([]reactor.Event, 0, len(under)+1)
		for _, a := range under {
			events = append(events, &a.request)
		}
		if len(tries) > 0 && delay > 0 {
			events = append(events, patience)
		}
		fired, err := scheduler.Suspend(ctx, events...)
		if fired == nil {
			return nil, under[0].fail(err)
		}
		next = fired == reactor.Event(patience)
	}
}

// attempt is the dialing of one address.
type attempt struct {
	network string
	own     sys.Addr
	to      net.Addr
	sock    *socket
	err     error // why it could not begin
	request reactor.Request
}

// begin starts it.
func (a *attempt) begin(s *scheduler.Scheduler, ctl control) {
	target := sysAddr(a.to)
	if a.sock, a.err = newSocket(s, a.network, target, ctl); a.err != nil {
		return
	}
	if a.isTCP() {
		if a.err = setUp(a.sock.io.Fd(), net.KeepAliveConfig{}); a.err != nil {
			return
		}
	}
	if own := a.ownFor(target); own.Valid() {
		if a.err = a.sock.bind(own); a.err != nil {
			return
		}
	}
	a.sock.io.ConnectWith(&a.request, a.to)
}

func (a *attempt) isTCP() bool { return a.network[0] == 't' }

// ownFor is the own address for a connection to target; where only the port is
// given, it is any of target's family.
func (a *attempt) ownFor(target sys.Addr) sys.Addr {
	if a.own.Unix || a.own.Net.Addr().IsValid() || a.own.Net.Port() == 0 {
		return a.own
	}
	any := netip.IPv6Unspecified()
	if target.Net.Addr().Is4() {
		any = netip.IPv4Unspecified()
	}
	return sys.Addr{Net: netip.AddrPortFrom(any, a.own.Net.Port())}
}

// outcome is how the attempt has ended, if it has.
func (a *attempt) outcome() (done bool, err error) {
	if a.err != nil {
		return true, a.err
	}
	if done, err = a.request.Done(); !done || err != nil || !a.isTCP() {
		return done, err
	}
	// Where nobody listens, but the port that the system chose is the one that was
	// asked for, a socket connects to itself.
	if fd := a.sock.io.Fd(); sys.LocalAddr(fd) == sys.RemoteAddr(fd) {
		return true, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	return true, nil
}

// conn makes a connection of an attempt that has succeeded.
func (a *attempt) conn(s *scheduler.Scheduler) *Conn {
	c := new(Conn)
	c.init(s, a.sock.io, a.network)
	c.local, c.remote = a.sock.names()
	return c
}

// abandon closes the socket.
func (a *attempt) abandon() {
	if a.sock != nil {
		a.sock.io.Close()
	}
}

// fail is err with what was attempted.
func (a *attempt) fail(err error) error {
	return opError("dial", a.network, netAddr(a.network, a.own), a.to, err)
}

// interleaved has the addresses of the two families take turns, beginning with the
// family of the first.
func interleaved(addrs []netip.AddrPort) []netip.AddrPort {
	var families [2][]netip.AddrPort
	for _, a := range addrs {
		i := 0
		if a.Addr().Is4() != addrs[0].Addr().Is4() {
			i = 1
		}
		families[i] = append(families[i], a)
	}
	var mixed []netip.AddrPort
	for i := range addrs {
		for _, f := range families {
			if i < len(f) {
				mixed = append(mixed, f[i])
			}
		}
	}
	return mixed
}

// own is LocalAddr, if it suits the network.
func (d *Dialer) own(network string) (sys.Addr, error) {
	suits := true
	switch d.LocalAddr.(type) {
	case nil:
	case *net.TCPAddr:
		suits = network[0] == 't'
	case *net.UDPAddr:
		suits = network[:2] == "ud"
	case *net.UnixAddr:
		suits = network[:2] == "un"
	default:
		suits = false
	}
	if !suits {
		return sys.Addr{}, &net.AddrError{Err: "mismatched local address type", Addr: d.LocalAddr.String()}
	}
	return sysAddr(d.LocalAddr), nil
}
