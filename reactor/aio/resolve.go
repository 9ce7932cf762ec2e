package aio

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// purpose is what an address is to be used for.
type purpose uint8

const (
	toListen purpose = iota
	toDial
)

// resolve is the addresses that address names on an internet network, in order
// of preference.
func resolve(ctx context.Context, network, address string, why purpose) ([]netip.AddrPort, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := resolvePort(ctx, network, service)
	if err != nil {
		return nil, err
	}
	ips, err := resolveHost(ctx, network, host, why)
	if err != nil {
		return nil, err
	}
	var addrs []netip.AddrPort
	for _, ip := range ips {
		if suits(network, ip) {
			addrs = append(addrs, netip.AddrPortFrom(ip, port))
		}
	}
	if len(addrs) == 0 {
		return nil, &net.AddrError{Err: "no suitable address found", Addr: host}
	}
	return addrs, nil
}

func resolveHost(ctx context.Context, network, host string, why purpose) ([]netip.Addr, error) {
	if host == "" {
		if why == toListen {
			return []netip.Addr{netip.IPv6Unspecified(), netip.IPv4Unspecified()}, nil
		}
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if why == toDial && ip.IsUnspecified() {
			return resolveHost(ctx, network, "", why) // the system itself, on every system
		}
		return []netip.Addr{ip.Unmap()}, nil
	}
	return lookup(ctx, "ip"+strings.TrimLeft(network, "tcpud"), host)
}

// suits reports whether ip is of the network's family.
func suits(network string, ip netip.Addr) bool {
	switch network[len(network)-1] {
	case '4':
		return ip.Is4()
	case '6':
		return ip.Is6()
	}
	return true
}

// resolvePort is the number of a port. Names of services come from a file, or
// from elsewhere, so they are looked for off the loop.
func resolvePort(ctx context.Context, network, service string) (uint16, error) {
	if n, err := strconv.ParseUint(service, 10, 16); err == nil {
		return uint16(n), nil
	}
	if service == "" {
		return 0, nil
	}
	n, err := background(ctx, func(ctx context.Context) (int, error) {
		return net.DefaultResolver.LookupPort(ctx, network, service)
	}, nil)
	return uint16(n), err
}
