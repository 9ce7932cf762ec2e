package aio

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// control is what a ListenConfig or Dialer has done to a socket before it is used.
type control func(network, address string, c syscall.RawConn) error

// socket is one that is being opened, on the loop.
type socket struct {
	io      *reactor.IO
	network string // as the caller has it
	inet6   bool
}

// newSocket opens a socket for addr.
func newSocket(s *scheduler.Scheduler, network string, addr sys.Addr, ctl control) (*socket, error) {
	datagram := strings.HasPrefix(network, "udp") || network == "unixgram"
	family, exact := sys.Local, network
	if !addr.Unix {
		family, exact = sys.Inet4, strings.TrimRight(network, "46")+"4"
		if addr.Net.Addr().Is6() {
			family, exact = sys.Inet6, strings.TrimRight(network, "46")+"6"
		}
	}
	// Any other address than none at all is of one family anyway.
	only6 := strings.HasSuffix(network, "6") || addr.Net.Addr() != netip.IPv6Unspecified()
	fd, errno := sys.Socket(family, datagram, only6)
	if errno != 0 {
		return nil, os.NewSyscallError("socket", errno)
	}
	typ := reactor.TCP
	if datagram {
		typ = reactor.UDP
	}
	io, err := s.Reactor().NewIO(fd, typ)
	if err != nil {
		_ = sys.Close(fd)
		return nil, err
	}
	k := &socket{io: io, network: network, inet6: family == sys.Inet6}
	if ctl == nil {
		return k, nil
	}
	raw, err := io.SyscallConn()
	if err == nil {
		err = ctl(exact, printed(addr), raw)
	}
	if err != nil {
		k.io.Close()
		return nil, err
	}
	return k, nil
}

// printed is a as package net writes it.
func printed(a sys.Addr) string {
	if a.Unix {
		return a.Path
	}
	return a.Net.String()
}

// option is the error of the setting of an option.
func option(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return os.NewSyscallError("setsockopt", errno)
}

// bind gives the socket its own address.
func (k *socket) bind(addr sys.Addr) error {
	if errno := sys.Bind(k.io.Fd(), addr, k.inet6); errno != 0 {
		return os.NewSyscallError("bind", errno)
	}
	return nil
}

// names are the socket's addresses, as the system tells them.
func (k *socket) names() (local, remote net.Addr) {
	return netAddr(k.network, sys.LocalAddr(k.io.Fd())), netAddr(k.network, sys.RemoteAddr(k.io.Fd()))
}
