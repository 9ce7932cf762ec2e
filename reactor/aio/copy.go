package aio

import (
	"io"
	"sync"
)

// copyBuffers are for copying between a connection and what knows no better way.
var copyBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// ReadFrom writes what it reads from r, until io.EOF, and returns how many bytes
// that were. What was read when a write fails is lost. A [*File] of the same loop's,
// also in an io.LimitedReader, is sent by the system, where that can, without passing
// through the program; other Writes wait meanwhile, and nothing is lost.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if n, handled, err := c.sendFile(r); handled {
		return n, c.wrap("readfrom", err)
	}
	return copyPlain(c, r)
}

// WriteTo writes to w what it reads, until io.EOF, and returns how many bytes that
// were. What was read when a write fails is lost.
func (c *Conn) WriteTo(w io.Writer) (int64, error) { return copyPlain(w, c) }

// copyPlain copies by Read and Write alone.
func copyPlain(w io.Writer, r io.Reader) (int64, error) {
	buf := copyBuffers.Get().(*[32 << 10]byte)
	defer copyBuffers.Put(buf)
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, buf[:])
}
