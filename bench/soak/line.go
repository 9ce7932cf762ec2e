package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// conn is what package aio's connections and package net's have in common.
type conn interface {
	net.Conn
	CloseWrite() error
}

var (
	// errMismatch: bytes came that were not sent there.
	errMismatch = errors.New("soak: wrong bytes")
	// errGaveUp: whoever was interrupted, or told to break off, does so.
	errGaveUp = errors.New("soak: broken off on purpose")
)

func isMismatch(err error) bool { return errors.Is(err, errMismatch) }

// line is a connection in the hands of one coroutine or goroutine, which goes on
// after an interruption, or does not, and after a deadline always does.
type line struct {
	conn
	rng      *rand.Rand
	patience int  // how many interruptions it survives, at most
	hasty    bool // sets deadlines that may pass; nobody else must use the connection's
}

func newLine(c conn, rng *rand.Rand) *line {
	return &line{conn: c, rng: rng, patience: rng.IntN(3)}
}

// read is conn.Read, counted. It does not end with an interruption or a deadline.
func (l *line) read(b []byte, count *atomic.Int64) (int, error) {
	for {
		l.haste(l.SetReadDeadline)
		n, err := l.conn.Read(b[:1+l.rng.IntN(len(b))])
		count.Add(int64(n))
		switch again, err := l.goesOn(err, l.SetReadDeadline); {
		case n > 0 && err == nil:
			return n, nil
		case again:
		case err != nil:
			return n, err
		default:
			return n, fmt.Errorf("soak: read nothing: %w", io.ErrNoProgress)
		}
	}
}

// write writes all of b, in pieces where it is interrupted, at times with a call
// for several buffers.
func (l *line) write(b []byte, count *atomic.Int64) error {
	for len(b) > 0 {
		l.haste(l.SetWriteDeadline)
		n, err := l.writeSome(b)
		count.Add(int64(n))
		if n < 0 || n > len(b) || n < len(b) && err == nil {
			return fmt.Errorf("soak: %d bytes of %d written: %w", n, len(b), io.ErrShortWrite)
		}
		b = b[n:]
		if _, err := l.goesOn(err, l.SetWriteDeadline); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) writeSome(b []byte) (int, error) {
	if l.rng.IntN(4) > 0 {
		return l.conn.Write(b)
	}
	cut := l.rng.IntN(len(b) + 1)
	buffers := net.Buffers{b[:cut], b[cut:]}
	if c, ok := l.conn.(interface {
		WriteBuffers(*net.Buffers) (int64, error)
	}); ok {
		n, err := c.WriteBuffers(&buffers)
		return int(n), err
	}
	n, err := buffers.WriteTo(l.conn)
	return int(n), err
}

// haste sets a deadline, now and then, that is as likely to pass as not.
func (l *line) haste(set func(time.Time) error) {
	if l.hasty && l.rng.IntN(8) == 0 {
		_ = set(time.Now().Add(time.Duration(l.rng.IntN(1000)) * time.Microsecond)) // the call that follows tells
	}
}

// goesOn reports whether err was a mere interruption; other errors it returns.
func (l *line) goesOn(err error, set func(time.Time) error) (again bool, _ error) {
	switch {
	case l.hasty && errors.Is(err, os.ErrDeadlineExceeded):
		_ = set(time.Time{}) // the call that follows tells
		return true, nil
	case errors.Is(err, context.Canceled):
		if l.patience == 0 {
			return false, errGaveUp
		}
		l.patience--
		return true, nil
	}
	return false, err
}

// reset closes the connection so that the peer sees a reset, where it is one that
// knows those.
func reset(c conn) error {
	if c, ok := c.(interface{ SetLinger(int) error }); ok {
		_ = c.SetLinger(0) // fails where somebody has closed it before, and so will Close
	}
	return c.Close()
}
