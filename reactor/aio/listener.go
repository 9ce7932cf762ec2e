package aio

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// Listener is a net.Listener. Its methods are safe from any goroutine, as those
// of [Conn] are.
type Listener struct {
	handle
	unlink bool
	// setUp gives an accepted connection its options, on a system where it does not
	// have its listener's; else nil.
	setUp func(fd int)
	pause pause
}

var _ net.Listener = (*Listener)(nil)

// Accept waits for a connection; it is a [*Conn]. Out of descriptors or memory it
// tries again, less and less often, at least once a second, until there are some
// again. Interrupted, it loses no connection.
func (l *Listener) Accept() (net.Conn, error) {
	for delay := minPause; ; delay = min(2*delay, maxPause) {
		m := more{setUp: l.setUp}
		err := l.in.doMore(&call{kind: accept}, &m)
		if err == nil {
			return m.accepted, nil
		}
		if !exhausted(err) {
			return nil, l.wrap("accept", err)
		}
		if err := l.pause.wait(l, delay); err != nil {
			return nil, l.wrap("accept", err)
		}
	}
}

// exhausted reports whether err says that the system, or the process, has no more
// of something that may be given back.
func exhausted(err error) bool {
	for _, errno := range [...]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// accepted makes a connection of what was accepted, on the loop.
func (h *handle) accepted(io *reactor.IO, from netip.AddrPort, path string) *Conn {
	c := new(Conn)
	c.init(h.s, io, h.network)
	c.local = netAddr(h.network, sys.LocalAddr(io.Fd()))
	c.remote = netAddr(h.network, sys.Addr{Net: from, Path: path, Unix: !from.IsValid()})
	return c
}

// Addr is the address that is listened on.
func (l *Listener) Addr() net.Addr { return l.local }

// Close ends the listening: Accepts get net.ErrClosed, and so does a second Close.
// The file of a unix socket is removed. It never waits.
func (l *Listener) Close() error {
	err := l.close()
	if err == nil {
		l.pause.end(l)
		if l.unlink {
			_ = os.Remove(l.local.(*net.UnixAddr).Name) // it may be gone already
		}
	}
	return l.wrap("close", err)
}

// SetDeadline sets the moment after which Accept fails, as Conn's method does.
func (l *Listener) SetDeadline(t time.Time) error {
	err := l.in.set(t)
	l.pause.end(l)
	return l.wrap("set", err)
}

// SetUnlinkOnClose says whether Close removes the file of a unix socket; it does,
// unless told otherwise. It is to be called before the listener is shared.
func (l *Listener) SetUnlinkOnClose(unlink bool) {
	name := ""
	if a, ok := l.local.(*net.UnixAddr); ok {
		name = a.Name
	}
	l.unlink = unlink && name != "" && !strings.HasPrefix(name, "@")
}

// SyscallConn gives raw access; see [Conn.SyscallConn].
func (l *Listener) SyscallConn() (syscall.RawConn, error) {
	if l.closed.Load() {
		return nil, l.wrap("raw-control", net.ErrClosed)
	}
	return &rawConn{&l.handle}, nil
}

const (
	minPause = 5 * time.Millisecond
	maxPause = time.Second
)

// pause is what Accepts wait for that are to try again later. Close and
// SetDeadline cut it short. It belongs to the loop but for waiting: whoever pauses
// counts in it and then looks at the listener; who changes that looks at it after.
type pause struct {
	timers  map[*reactor.Timer]struct{}
	waiting atomic.Int32
}

// wait waits for d, or less: whoever waits looks again at what it waits for.
func (p *pause) wait(l *Listener, d time.Duration) error {
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	if c := l.s.Running(); c != nil {
		t := p.begin(l, d)
		defer delete(p.timers, t)
		return c.Wait(t)
	}
	over := make(chan struct{})
	posted := l.s.PostOr(func() {
		t := p.begin(l, d)
		t.Subscribe(func(error) {
			delete(p.timers, t)
			close(over)
		})
		if t.Start() != nil {
			close(over) // the reactor has closed
		}
	}, func() { close(over) })
	if posted != nil {
		return net.ErrClosed
	}
	<-over
	return nil
}

// begin returns an idle timer for a pause of d.
func (p *pause) begin(l *Listener, d time.Duration) *reactor.Timer {
	if l.in.refuse() != nil {
		d = 0
	}
	t := l.s.Reactor().NewTimer(min(d, l.in.remaining()), 0)
	if p.timers == nil {
		p.timers = make(map[*reactor.Timer]struct{})
	}
	p.timers[t] = struct{}{}
	return t
}

// end cuts the pauses under way short.
func (p *pause) end(l *Listener) {
	if p.waiting.Load() == 0 {
		return
	}
	now := func() {
		for t := range p.timers {
			t.Reset(0)
		}
	}
	if l.s.OnLoop() {
		now()
	} else {
		_ = l.s.Post(now) // a loop that has ended has told everybody
	}
}
