package aio

import (
	"io"
	"sync"
)

// copySize is how much is read and written at once.
const copySize = 32 << 10

// copyBuffers are for copying between a connection and what knows no better way.
var copyBuffers = sync.Pool{New: func() any { return new([copySize]byte) }}

// ReadFrom writes what it reads from r, until io.EOF, and returns how many bytes
// have been written. What was read when a write fails is lost; where none can succeed
// from the start nothing is read.
//
// A [*File] of the same loop's, also in an io.LimitedReader, is sent by the system,
// where that can, without passing through the program; other Writes wait meanwhile,
// and nothing is lost.
//
// What comes thick from another Conn or a [*Stream], of any loop and also in an
// io.LimitedReader, is moved by the system, where that can. Otherwise it is as if it
// were read and written: the deadlines of both sides, Close and cancellation end it,
// and of the error that it returns the [*net.OpError] tells which side failed; others
// may read and write in between; at most 256 KiB have been taken from the source and
// are lost when the other side fails or the copying is interrupted. A peer that is
// gone may raise SIGPIPE, which a Go program does not see unless it asks for it.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if n, handled, err := c.sendFile(r); handled {
		return n, c.wrap("readfrom", err)
	}
	return copyBetween(c, r)
}

// WriteTo writes to w what it reads, until io.EOF, and returns how many bytes have
// been written. What was read when a write fails is lost. To another Conn, or to a
// [*Stream], it is done as by [Conn.ReadFrom].
func (c *Conn) WriteTo(w io.Writer) (int64, error) { return copyBetween(w, c) }

// handleOf is the handle of what has two directions, with what makes its errors; nil
// for anything else.
func handleOf(x any) (h *handle, fail func(what string, err error) error) {
	switch x := x.(type) {
	case *Conn:
		return &x.handle, x.wrap
	case *Stream:
		return &x.handle, x.fail
	}
	return nil, nil
}

// copyBetween copies in the best way there is. Where nothing can be written it reads
// nothing, which would be lost.
func copyBetween(w io.Writer, r io.Reader) (int64, error) {
	if dst, fail := handleOf(w); dst != nil {
		if err := dst.out.admit(); err != nil {
			return 0, fail("write", err)
		}
	}
	if n, handled, err := splice(w, r); handled {
		return n, err
	}
	return copyPlain(w, r)
}

// copyPlain copies by Read and Write alone.
func copyPlain(w io.Writer, r io.Reader) (int64, error) {
	buf := copyBuffers.Get().(*[copySize]byte)
	defer copyBuffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, buf[:])
}
