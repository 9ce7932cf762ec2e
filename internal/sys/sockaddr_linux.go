package sys

import (
	"encoding/binary"
	"net/netip"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// decode reads what the kernel wrote: size bytes of a socket address. It
// allocates nothing but the path or the zone of an address that has one.
func decode(sa *unix.RawSockaddrAny, size int) Addr {
	switch sa.Addr.Family {
	case unix.AF_INET:
		in := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
		return Addr{Net: netip.AddrPortFrom(netip.AddrFrom4(in.Addr), swapped(in.Port))}
	case unix.AF_INET6:
		in := (*unix.RawSockaddrInet6)(unsafe.Pointer(sa))
		return Addr{Net: netip.AddrPortFrom(zoned(netip.AddrFrom16(in.Addr), in.Scope_id), swapped(in.Port))}
	case unix.AF_UNIX:
		in := (*unix.RawSockaddrUnix)(unsafe.Pointer(sa))
		n := max(0, min(size-int(unsafe.Offsetof(in.Path)), len(in.Path)))
		path := string(unsafe.Slice((*byte)(unsafe.Pointer(&in.Path)), n))
		if strings.HasPrefix(path, "\x00") {
			return Addr{Unix: true, Path: "@" + path[1:]} // of the abstract name space
		}
		path, _, _ = strings.Cut(path, "\x00")
		return Addr{Unix: true, Path: path}
	}
	return Addr{}
}

// encode is the reverse of decode.
func encode(sa *unix.RawSockaddrAny, a Addr, inet6 bool) (size int, e syscall.Errno) {
	ip := a.Net.Addr()
	switch {
	case a.Unix:
		in := (*unix.RawSockaddrUnix)(unsafe.Pointer(sa))
		if len(a.Path) >= len(in.Path) {
			return 0, unix.EINVAL
		}
		in.Family = unix.AF_UNIX
		dst := unsafe.Slice((*byte)(unsafe.Pointer(&in.Path)), len(in.Path))
		n := copy(dst, a.Path)
		if strings.HasPrefix(a.Path, "@") {
			dst[0] = 0
		} else {
			n++ // the terminating zero
		}
		return int(unsafe.Offsetof(in.Path)) + n, 0
	case inet6:
		in := (*unix.RawSockaddrInet6)(unsafe.Pointer(sa))
		in.Family, in.Port, in.Addr = unix.AF_INET6, swapped(a.Net.Port()), ip.As16()
		in.Scope_id, e = scopeOf(ip)
		return unix.SizeofSockaddrInet6, e
	}
	if ip = ip.Unmap(); !ip.Is4() {
		return 0, unix.EAFNOSUPPORT
	}
	in := (*unix.RawSockaddrInet4)(unsafe.Pointer(sa))
	in.Family, in.Port, in.Addr = unix.AF_INET, swapped(a.Net.Port()), ip.As4()
	return unix.SizeofSockaddrInet4, 0
}

// swapped turns a port between the order of the network and that of the machine.
func swapped(port uint16) uint16 {
	var b [2]byte
	binary.NativeEndian.PutUint16(b[:], port)
	return binary.BigEndian.Uint16(b[:])
}
