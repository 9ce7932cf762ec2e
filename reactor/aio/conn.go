package aio

import (
	"net"
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
type Conn struct{ handle }

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

// Close closes the connection: whoever is in one of its methods, or calls one
// later, gets net.ErrClosed; so does a second Close. It never waits, neither for
// the loop nor for the data that the system still has to send.
func (c *Conn) Close() error { return c.wrap("close", c.close()) }
