package aio

import (
	"net"
	"net/netip"
	"strings"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// netAddr is a as package net has it on the network, nil where there is none.
func netAddr(network string, a sys.Addr) net.Addr {
	switch {
	case strings.HasPrefix(network, "unix"):
		if !a.Unix {
			return nil
		}
		return &net.UnixAddr{Name: a.Path, Net: network}
	case !a.Net.IsValid():
		return nil
	case strings.HasPrefix(network, "udp"):
		return net.UDPAddrFromAddrPort(unmapped(a.Net))
	}
	return net.TCPAddrFromAddrPort(unmapped(a.Net))
}

// unmapped is a with an IPv4 address that came in IPv6 form as what it is.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
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
	return sys.Addr{}
}
