// Package sys is the seam between this module and the system calls it makes on
// descriptors. Every call retries EINTR where that is right, creates what it
// creates close-on-exec and non-blocking, raises no signal, and can be made to
// fail by a test (see [Inject]).
package sys

import "net/netip"

// Addr is a socket address: Net for the internet families, Path for unix
// sockets. The zero value is none.
type Addr struct {
	Net  netip.AddrPort
	Path string
	Unix bool
}

// Valid reports whether a names anything.
func (a Addr) Valid() bool { return a.Unix || a.Net.IsValid() }
