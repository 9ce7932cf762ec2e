package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"
)

// ending is how a client's connection ends.
type ending int

const (
	halfClose ending = iota // and read to the end
	hardReset
	drop
)

// client opens one connection, uses it as its kind says, and ends it.
type client struct {
	w       *wave
	hands   hands
	rng     *rand.Rand // for what comes before the parts, which have their own
	kind    kind
	ending  ending
	volume  int64         // bytes to send, of each writer
	breakAt int64         // where in them another ending than halfClose comes
	chunk   int           // bytes to send and receive at a time, at most
	pace    time.Duration // between two chunks

	conn    conn
	account *account
	closes  atomic.Int32 // that succeeded
	flowing func()       // called when the first bytes have come back
}

// helloSize is what a client begins with: its account's number and its kind.
const helloSize = 16

func (c *client) run(network, address string) {
	opened, err := c.hands.dial(network, address)
	if err != nil {
		c.w.refused(err)
		return
	}
	c.conn, c.account = opened, c.w.ledger.open(c.kind)
	c.w.connected(c)
	hello := make([]byte, helloSize)
	binary.BigEndian.PutUint64(hello, c.account.id)
	binary.BigEndian.PutUint64(hello[8:], uint64(c.kind))
	var uncounted atomic.Int64
	if c.ended(c.line().write(hello, &uncounted)) {
		return
	}
	switch c.kind {
	case echo, copied:
		c.together(c.receive, c.send)
	case acks:
		parts := []func(*line) error{c.receiveAcks}
		var writing atomic.Int32
		writing.Store(int32(1 + c.rng.IntN(maxWriters)))
		for i := range int(writing.Load()) {
			parts = append(parts, func(l *line) error { return c.sendFrames(l, i, &writing) })
		}
		c.together(parts...)
	case silent:
		if !c.ended(c.send(c.line())) {
			return // and the connection is left to itself
		}
	}
	c.close(false)
}

// together runs the parts of the work. The first that fails ends the others.
func (c *client) together(parts ...func(l *line) error) {
	runs := make([]func(), len(parts))
	for i, part := range parts {
		l := c.line()
		runs[i] = func() { c.ended(part(l)) }
	}
	c.hands.together(func() { c.ended(errGaveUp) }, runs...)
}

// ended notes an error, closes the connection, and reports that it did.
func (c *client) ended(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, errGaveUp) {
		c.account.clientBroke.Store(true)
	} else {
		c.account.fail("client", err)
	}
	c.close(false)
	return true
}

// close closes the connection, with a reset where that is wanted, from wherever.
func (c *client) close(hard bool) {
	closing := c.conn.Close
	if hard {
		closing = func() error { return reset(c.conn) }
	}
	switch err := closing(); {
	case err == nil:
		c.closes.Add(1)
	case !errors.Is(err, net.ErrClosed):
		c.w.fault("closing a client's connection: %v", err)
	}
}

// breakOff ends the connection in the way that was planned.
func (c *client) breakOff() error {
	c.account.clientBroke.Store(true)
	c.close(c.ending == hardReset)
	return errGaveUp
}

// line is the connection for one of the parts, none of which has begun.
func (c *client) line() *line {
	return newLine(c.conn, rand.New(rand.NewPCG(c.rng.Uint64(), c.account.id)))
}

// send sends the stream of the connection, and half-closes it.
func (c *client) send(l *line) error {
	l.hasty = true
	buf := make([]byte, c.chunk)
	for at := int64(0); at < c.volume; {
		if c.ending != halfClose && at >= c.breakAt {
			return c.breakOff()
		}
		b := buf[:min(int64(1+l.rng.IntN(len(buf))), c.volume-at)]
		fill(b, c.account.id, at)
		if err := l.write(b, &c.account.sent); err != nil {
			return err
		}
		at += int64(len(b))
		if c.pace > 0 {
			c.hands.pause(c.pace)
		}
	}
	if c.kind == silent {
		return nil
	}
	return c.conn.CloseWrite()
}

// receive reads to the end what comes back of the stream.
func (c *client) receive(l *line) error {
	l.hasty = true
	buf, scratch := make([]byte, c.chunk), make([]byte, c.chunk)
	for at := int64(0); ; {
		n, err := l.read(buf, &c.account.back)
		if !matches(buf[:n], scratch, c.account.id, at) {
			return fmt.Errorf("%d bytes at %d that came back: %w", n, at, errMismatch)
		}
		if at == 0 && n > 0 && c.flowing != nil {
			c.flowing()
		}
		at += int64(n)
		if err != nil {
			return c.end(err)
		}
	}
}

// end notes that the end of the connection was read.
func (c *client) end(err error) error {
	if err != io.EOF {
		return err
	}
	c.account.finished.Store(true)
	return nil
}

// sendFrames sends one writer's stream, and half-closes where it is the last.
func (c *client) sendFrames(l *line, writer int, writing *atomic.Int32) error {
	for at := int64(0); at < c.volume; {
		if c.ending != halfClose && at >= c.breakAt {
			return c.breakOff()
		}
		size := int(min(int64(1+l.rng.IntN(c.chunk)), c.volume-at))
		if err := c.sendFrame(l, appendFrame(nil, c.account.id, writer, at, size)); err != nil {
			return err
		}
		at += int64(size)
	}
	if writing.Add(-1) > 0 {
		return nil
	}
	return c.conn.CloseWrite()
}

// sendFrame goes on after an interruption only where nothing has been written:
// the others may write before the rest.
func (c *client) sendFrame(l *line, frame []byte) error {
	for {
		n, err := l.writeSome(frame)
		c.account.sent.Add(int64(n))
		again, err := l.goesOn(err, nil)
		if !again {
			if err != nil && n > 0 {
				c.account.torn.Store(true)
			}
			return err
		}
		if n > 0 && n < len(frame) {
			c.account.torn.Store(true)
			return errGaveUp
		}
		if n == len(frame) {
			return nil
		}
	}
}

// receiveAcks reads to the end how much has arrived.
func (c *client) receiveAcks(l *line) error {
	var ack [8]byte
	for have := 0; ; {
		n, err := l.read(ack[have:], &c.account.back)
		if have += n; have == len(ack) {
			have = 0
			now := int64(binary.BigEndian.Uint64(ack[:]))
			if before := c.account.acknowledged.Swap(now); now < before {
				return fmt.Errorf("acknowledged %d bytes, then %d: %w", before, now, errMismatch)
			}
		}
		if err != nil {
			return c.end(err)
		}
	}
}
