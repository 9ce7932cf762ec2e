package aio

import (
	"net"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// endpoint is what Conn and PacketConn have in common.
type endpoint struct{ handle }

// Close closes the socket: whoever is in one of its methods, or calls one later,
// gets net.ErrClosed; so does a second Close. It never waits, neither for the loop
// nor for data that the system still has to send.
func (e *endpoint) Close() error { return e.wrap("close", e.close()) }

// LocalAddr is the own address.
func (e *endpoint) LocalAddr() net.Addr { return e.local }

// RemoteAddr is the peer's address, nil where there is none.
func (e *endpoint) RemoteAddr() net.Addr { return e.remote }

// SetDeadline sets the moment, by the scheduler's clock, after which reading and
// writing fail with an error that matches os.ErrDeadlineExceeded, also where it is
// under way. The zero time is none. Safe from any goroutine; it never waits.
func (e *endpoint) SetDeadline(t time.Time) error {
	err := e.in.set(t)
	if outErr := e.out.set(t); err == nil {
		err = outErr
	}
	return e.wrap("set", err)
}

// SetReadDeadline is SetDeadline for reading alone.
func (e *endpoint) SetReadDeadline(t time.Time) error { return e.wrap("set", e.in.set(t)) }

// SetWriteDeadline is SetDeadline for writing alone. A write that it ends reports
// how much was written.
func (e *endpoint) SetWriteDeadline(t time.Time) error { return e.wrap("set", e.out.set(t)) }

// SetReadBuffer sets how many bytes the system keeps that have not been read.
func (e *endpoint) SetReadBuffer(bytes int) error {
	return e.setOption(func(fd int) syscall.Errno { return sys.Buffers(fd, bytes, 0) })
}

// SetWriteBuffer sets how many bytes the system keeps that have not been sent.
func (e *endpoint) SetWriteBuffer(bytes int) error {
	return e.setOption(func(fd int) syscall.Errno { return sys.Buffers(fd, 0, bytes) })
}

// setOption sets an option, on the loop.
func (e *endpoint) setOption(set func(fd int) syscall.Errno) error {
	return e.wrap("set", e.withDescriptor(func(fd int) error { return option(set(fd)) }))
}

// SyscallConn gives raw access to the socket. Its functions are called on the loop,
// whichever goroutine asks, so they must not block. Control waits for nothing but
// the loop. Read and Write call theirs again whenever the socket may be ready, until
// it reports that it is done; they heed deadlines, Close and cancellation as the
// methods of the same names do. A function that reads or writes must do so without
// blocking, until the system says EAGAIN, and then report that it is not done; one
// that is done should have emptied, or filled, what it touched, or the next Read or
// Write may wait for what has come already.
func (e *endpoint) SyscallConn() (syscall.RawConn, error) {
	if e.closed.Load() {
		return nil, e.wrap("raw-control", net.ErrClosed)
	}
	return &rawConn{&e.handle}, nil
}
