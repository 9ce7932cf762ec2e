package aio

import (
	"net"
	"net/netip"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// Listener is a net.Listener. Its methods are safe from any goroutine, as those
// of [Conn] are.
type Listener struct {
	handle
	keepAlive net.KeepAliveConfig
}

var _ net.Listener = (*Listener)(nil)

// Accept waits for a connection; it is a [*Conn].
func (l *Listener) Accept() (net.Conn, error) {
	a := call{kind: accept}
	if err := l.in.do(&a); err != nil {
		return nil, l.wrap("accept", err)
	}
	return a.accepted, nil
}

// accepted makes a connection of what was accepted; on the loop.
func (h *handle) accepted(io *reactor.IO, from netip.AddrPort, path string) *Conn {
	c := new(Conn)
	c.init(h.s, io, h.network)
	c.local = netAddr(h.network, sys.LocalAddr(io.Fd()))
	c.remote = netAddr(h.network, sys.Addr{Net: from, Path: path, Unix: !from.IsValid()})
	return c
}

// Addr is the address that is listened on.
func (l *Listener) Addr() net.Addr { return l.local }

// Close ends the listening; Accepts under way get net.ErrClosed. It never waits.
func (l *Listener) Close() error { return l.wrap("close", l.close()) }
