package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// patienceWithSilence is how long the server waits for a silent client.
const patienceWithSilence = 200 * time.Millisecond

// handler is the server's end of a connection: a coroutine with a hook that closes
// the connection. It belongs to the loop.
type handler struct {
	w       *wave
	conn    *aio.Conn
	rng     *rand.Rand
	self    *scheduler.Coroutine
	account *account // once the client has told
	hooks   int      // how often the hook has run
	breakAt int64    // how much is read before the server breaks off; never where below 0
}

// accept accepts connections until the listener closes. It is a victim: where it
// is cancelled, another follows it.
func (w *wave) accept(ctx context.Context, l *aio.Listener) {
	c := scheduler.Go(context.WithoutCancel(ctx), func(ctx context.Context) error {
		for {
			opened, err := l.Accept()
			switch {
			case errors.Is(err, net.ErrClosed), errors.Is(err, context.Canceled):
				return nil
			case err != nil:
				return err
			}
			w.handle(ctx, opened.(*aio.Conn))
		}
	}, scheduler.In(w.acceptors))
	w.victims.add(c)
	c.Finally(func(*scheduler.Coroutine) {
		if !w.closing && !w.acceptors.Cancelled() {
			w.accept(ctx, l)
		}
	})
}

func (w *wave) handle(ctx context.Context, c *aio.Conn) {
	h := &handler{w: w, conn: c, rng: w.newRand(), breakAt: -1}
	if h.rng.IntN(20) == 0 && !w.crowded {
		h.breakAt = h.rng.Int64N(64 << 10)
	}
	w.handlers[h] = true
	w.accepted++
	h.self = scheduler.Go(context.WithoutCancel(ctx), func(context.Context) error { return h.serve() }, scheduler.In(w.handling))
	h.self.Finally(h.hook)
}

// hook runs when the handler has ended, be it that it never started.
func (h *handler) hook(*scheduler.Coroutine) {
	h.hooks++
	if h.hooks > 1 {
		h.w.fault("a close hook ran %d times", h.hooks)
	}
	delete(h.w.handlers, h)
	if err := h.conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		h.w.fault("closing a server's connection: %v", err)
	}
	if err := h.conn.Close(); !errors.Is(err, net.ErrClosed) {
		h.w.fault("closing a connection twice: %v", err)
	}
	if n, err := h.conn.Write([]byte("late")); n != 0 || !errors.Is(err, net.ErrClosed) {
		h.w.fault("%d bytes were written to a closed connection, with the error %v", n, err)
	}
	h.w.hooked++
}

func (h *handler) serve() error {
	hello := make([]byte, helloSize)
	if _, err := io.ReadFull(h.conn, hello); err != nil {
		return nil // the client's account tells whether that was to be
	}
	a := h.w.ledger.account(binary.BigEndian.Uint64(hello))
	k := kind(binary.BigEndian.Uint64(hello[8:]))
	if a == nil || a.kind != k {
		h.w.fault("a connection begins with %x", hello)
		return nil
	}
	h.account = a
	if !h.w.crowded {
		h.w.victims.add(h.self)
	}
	var err error
	switch k {
	case echo:
		err = h.echo()
	case copied:
		err = h.copy()
	case acks:
		err = h.acknowledge()
	case silent:
		err = h.wait()
	}
	switch {
	case err == nil:
	case errors.Is(err, errGaveUp):
		a.serverBroke.Store(true)
		if h.rng.IntN(2) == 0 {
			_ = reset(h.conn) // the hook tells
		}
	default:
		a.fail("server", err)
	}
	return nil
}

// echo sends back what comes.
func (h *handler) echo() error {
	return h.each(func(l *line, b []byte, at int64, scratch []byte) error {
		if !matches(b, scratch, h.account.id, at) {
			return fmt.Errorf("%d bytes at %d: %w", len(b), at, errMismatch)
		}
		return l.write(b, &h.account.returned)
	})
}

// copy does the same with the least code.
func (h *handler) copy() error {
	n, err := io.Copy(h.conn, h.conn)
	h.account.arrived.Add(n)
	h.account.returned.Add(n)
	if errors.Is(err, context.Canceled) {
		return errGaveUp
	}
	return err
}

// acknowledge tells how much has come.
func (h *handler) acknowledge() error {
	f := frames{id: h.account.id}
	err := h.each(func(l *line, b []byte, at int64, _ []byte) error {
		if err := f.take(b); err != nil {
			return err
		}
		ack := binary.BigEndian.AppendUint64(nil, uint64(at)+uint64(len(b)))
		return l.write(ack, &h.account.returned)
	})
	if err == nil && !f.whole() {
		return fmt.Errorf("the end is within a frame: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// wait reads until the client has been silent for too long.
func (h *handler) wait() error {
	var buf [4 << 10]byte
	for {
		_ = h.conn.SetReadDeadline(time.Now().Add(patienceWithSilence)) // Read tells
		n, err := h.conn.Read(buf[:])
		h.account.arrived.Add(int64(n))
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.Canceled) {
			return errGaveUp
		}
		if err != nil {
			return err
		}
	}
}

// each calls take for what comes, in pieces of random sizes, until the client's end
// or until it is time to break off.
func (h *handler) each(take func(l *line, b []byte, at int64, scratch []byte) error) error {
	l := newLine(h.conn, h.rng)
	if l.hasty = !h.w.crowded; h.w.crowded {
		l.patience = 0
	}
	size := 1 << (6 + h.rng.IntN(h.w.bufferBits))
	buf, scratch := make([]byte, size), make([]byte, size)
	for at := int64(0); ; {
		n, err := l.read(buf, &h.account.arrived)
		if n > 0 {
			if err := take(l, buf[:n], at, scratch); err != nil {
				return err
			}
			at += int64(n)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case h.breakAt >= 0 && at >= h.breakAt:
			return errGaveUp
		}
	}
}

// listen opens the wave's listeners, a TCP and a unix one.
func (w *wave) listen(ctx context.Context, path string) error {
	for _, at := range []struct{ network, address string }{{"tcp", "127.0.0.1:0"}, {"unix", path}} {
		l, err := aio.Listen(ctx, at.network, at.address)
		if err != nil {
			return err
		}
		w.listeners = append(w.listeners, l)
		w.accept(ctx, l)
	}
	return nil
}
