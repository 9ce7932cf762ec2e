package aio

import (
	"net"
	"os"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// Conn is a stream socket: a net.Conn with deadlines and half-close.
//
// Its methods are safe from any goroutine: they suspend a coroutine of the
// connection's loop and block any other goroutine. Called from a callback of the
// loop, those that would have to wait fail with [scheduler.ErrNotCoroutine].
// Errors other than io.EOF are of type [*net.OpError].
//
// A cancellation of the coroutine interrupts one of its calls, the one under way
// or the next, with an error that matches context.Canceled; after that they work
// again, so that a deferred flush or close can.
type Conn struct{ endpoint }

var _ net.Conn = (*Conn)(nil)

// Read reads at least one byte, unless b is empty; io.EOF is the end of what the
// peer has sent. Interrupted, it has taken nothing.
func (c *Conn) Read(b []byte) (int, error) {
	a := call{kind: read, buf: b}
	err := c.in.do(&a)
	if err != nil {
		return a.n, c.wrap("read", err)
	}
	return a.n, nil
}

// Write writes all of b, in one piece with regard to other Writes, and waits for
// room where the system has none. Interrupted, it tells how many bytes the system
// had taken by then; they will be sent.
func (c *Conn) Write(b []byte) (int, error) {
	a := call{kind: write, buf: b}
	err := c.out.do(&a)
	if err != nil {
		return a.n, c.wrap("write", err)
	}
	return a.n, nil
}

// WriteBuffers writes all of the buffers, in one piece with regard to other
// Writes, with as few system calls as possible, and takes off *b what was written,
// as net.Buffers does.
func (c *Conn) WriteBuffers(b *net.Buffers) (int64, error) {
	a := call{kind: writeBuffers}
	err := c.out.doMore(&a, &more{bufs: *b})
	for len(*b) > 0 && len((*b)[0]) == 0 {
		(*b)[0] = nil
		*b = (*b)[1:]
	}
	return int64(a.n), c.wrap("writev", err)
}

// CloseRead ends the reading: what the peer sends is dropped, and Reads, also
// those under way, get io.EOF. It never waits for the peer.
func (c *Conn) CloseRead() error { return c.shutdown(true, false) }

// CloseWrite ends the writing: the peer reads what was written, and then io.EOF.
// It never waits for the peer.
func (c *Conn) CloseWrite() error { return c.shutdown(false, true) }

func (c *Conn) shutdown(read, write bool) error {
	return c.wrap("close", c.withDescriptor(func(fd int) error {
		if errno := sys.Shutdown(fd, read, write); errno != 0 {
			return os.NewSyscallError("shutdown", errno)
		}
		return nil
	}))
}

// SetNoDelay has small writes sent at once, as they are from the start, or
// collected.
func (c *Conn) SetNoDelay(on bool) error {
	return c.setOption(func(fd int) syscall.Errno { return sys.NoDelay(fd, on) })
}

// SetLinger says what Close does about data that has not been sent, as
// net.TCPConn's does: with less than 0, as it is from the start, the system sends it
// in the background; with 0 it is dropped, and the peer sees a reset.
func (c *Conn) SetLinger(seconds int) error {
	return c.setOption(func(fd int) syscall.Errno { return sys.Linger(fd, seconds) })
}

// SetKeepAlive has the system ask a silent peer whether it is there.
func (c *Conn) SetKeepAlive(on bool) error {
	return c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: on, Idle: -1, Interval: -1, Count: -1})
}

// SetKeepAlivePeriod sets how long the peer may be silent before it is asked.
func (c *Conn) SetKeepAlivePeriod(d time.Duration) error {
	return c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: d, Interval: d, Count: -1})
}

// SetKeepAliveConfig sets keep-alive up.
func (c *Conn) SetKeepAliveConfig(config net.KeepAliveConfig) error {
	return c.wrap("set", c.withDescriptor(func(fd int) error { return keepAlive(fd, config) }))
}
