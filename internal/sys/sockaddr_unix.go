//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sys

import (
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// sockaddr is a in the system's form. On an IPv6 socket IPv4 addresses take
// their mapped form; an IPv6 address on an IPv4 socket is refused.
func sockaddr(a Addr, inet6 bool) (unix.Sockaddr, syscall.Errno) {
	ip := a.Net.Addr()
	switch {
	case a.Unix:
		return &unix.SockaddrUnix{Name: a.Path}, 0
	case !a.Net.IsValid():
		return nil, unix.EINVAL
	case inet6:
		scope, e := scopeOf(ip)
		return &unix.SockaddrInet6{Port: int(a.Net.Port()), ZoneId: scope, Addr: ip.As16()}, e
	}
	if ip = ip.Unmap(); !ip.Is4() {
		return nil, unix.EAFNOSUPPORT
	}
	return &unix.SockaddrInet4{Port: int(a.Net.Port()), Addr: ip.As4()}, 0
}

// address is the reverse of sockaddr.
func address(sa unix.Sockaddr) Addr {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return Addr{Net: netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))}
	case *unix.SockaddrInet6:
		return Addr{Net: netip.AddrPortFrom(zoned(netip.AddrFrom16(sa.Addr), sa.ZoneId), uint16(sa.Port))}
	case *unix.SockaddrUnix:
		return Addr{Path: sa.Name, Unix: true}
	}
	return Addr{}
}

// zoned names the interface that a link-local address belongs to.
func zoned(ip netip.Addr, scope uint32) netip.Addr {
	if scope == 0 || ip.Is4In6() {
		return ip
	}
	if ifi, err := net.InterfaceByIndex(int(scope)); err == nil {
		return ip.WithZone(ifi.Name)
	}
	return ip.WithZone(strconv.FormatUint(uint64(scope), 10))
}

func scopeOf(ip netip.Addr) (uint32, syscall.Errno) {
	zone := ip.Zone()
	if zone == "" {
		return 0, 0
	}
	if ifi, err := net.InterfaceByName(zone); err == nil {
		return uint32(ifi.Index), 0
	}
	n, err := strconv.ParseUint(zone, 10, 32)
	if err != nil {
		return 0, unix.ENODEV
	}
	return uint32(n), 0
}

// LocalAddr is the address a socket is bound to.
func LocalAddr(fd int) Addr {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return Addr{}
	}
	return address(sa)
}

// RemoteAddr is the address a socket is connected to.
func RemoteAddr(fd int) Addr {
	sa, err := unix.Getpeername(fd)
	if err != nil {
		return Addr{}
	}
	return address(sa)
}
