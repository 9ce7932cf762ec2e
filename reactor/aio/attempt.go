package aio

import (
	"net"
	"net/netip"
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

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
