package aio

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Dialer holds what Dial does not ask for. The zero value is what Dial uses.
type Dialer struct {
	// Timeout limits the whole of a dial, by the scheduler's clock; 0 is no limit.
	Timeout time.Duration
	// LocalAddr is the own address, of the type that the network has; nil has the
	// system choose.
	LocalAddr net.Addr
	// FallbackDelay is how long an address is given before the next is tried at the
	// same time; 0 is 300 ms, less than 0 is until it has failed.
	FallbackDelay time.Duration
	// Control is called on the loop with each socket before it is connected. Network
	// is tcp4 or tcp6 where the caller's is tcp.
	Control func(network, address string, c syscall.RawConn) error
}

// Dial connects on "tcp", "tcp4", "tcp6" or "unix", as net.Dial does; on "udp",
// "udp4", "udp6" or "unixgram" the connection carries datagrams, one for each Read
// or Write. A name is looked up off the loop, and where it has several addresses
// they are tried as RFC 8305, Happy Eyeballs, says: the families by turns, each
// address with a head start; see [Dialer.FallbackDelay].
//
// It is called with a coroutine's ctx, by the coroutine, which it suspends, or by a
// goroutine off the loop, which it blocks; without one it fails with
// scheduler.ErrNotCoroutine. Ended midway it leaves nothing behind. The connection
// belongs to the loop of ctx, and closes with it.
func Dial(ctx context.Context, network, address string) (*Conn, error) {
	var d Dialer
	return d.dialContext(ctx, network, address)
}

// DialContext is the function Dial with what d says; its result is a [*Conn].
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.dialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (d *Dialer) dialContext(ctx context.Context, network, address string) (*Conn, error) {
	c, err := open(ctx, func(ctx context.Context) (*Conn, error) {
		if d.Timeout > 0 {
			within, cancel := scheduler.WithTimeout(ctx, d.Timeout)
			defer cancel()
			ctx = within
		}
		return d.dial(ctx, network, address)
	})
	return c, opError("dial", network, d.LocalAddr, nil, err)
}

func (d *Dialer) dial(ctx context.Context, network, address string) (*Conn, error) {
	switch network {
	case "tcp", "tcp4", "tcp6", "udp", "udp4", "udp6", "unix", "unixgram":
	default:
		return nil, net.UnknownNetworkError(network)
	}
	own, err := d.own(network)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(network, "unix") {
		return d.dialPath(ctx, network, own, &net.UnixAddr{Name: address, Net: network})
	}
	addrs, err := resolve(ctx, network, address, toDial)
	if err != nil {
		return nil, err
	}
	var tries []*attempt
	for _, a := range interleaved(addrs) {
		if own.Net.Addr().IsValid() && own.Net.Addr().Is4() != a.Addr().Is4() {
			continue
		}
		var to net.Addr = net.TCPAddrFromAddrPort(a)
		if strings.HasPrefix(network, "udp") {
			to = net.UDPAddrFromAddrPort(a)
		}
		tries = append(tries, &attempt{network: network, own: own, to: to})
	}
	if len(tries) == 0 {
		return nil, &net.AddrError{Err: "mismatched local address type", Addr: d.LocalAddr.String()}
	}
	return d.race(ctx, tries)
}

// dialPath connects to a unix socket. One whose backlog is full does not say when
// it has room again, so it is tried again and again.
func (d *Dialer) dialPath(ctx context.Context, network string, own sys.Addr, to net.Addr) (*Conn, error) {
	for delay := time.Millisecond; ; delay = min(2*delay, maxBacklogDelay) {
		a := &attempt{network: network, own: own, to: to}
		c, err := d.race(ctx, []*attempt{a})
		if !errors.Is(err, syscall.EAGAIN) {
			return c, err
		}
		if err := scheduler.Sleep(ctx, delay); err != nil {
			return nil, a.fail(err)
		}
	}
}

const maxBacklogDelay = 64 * time.Millisecond

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
