package reactor

import (
	"net"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// SyscallConn gives raw access. It belongs to the loop, as the handle does. Its
// Control never blocks; its Read and Write block the loop until their function
// reports that it is done, so use WaitWith where the loop must go on. Data that a
// function takes behind the handle's back is missed by the handle's own requests.
func (io *IO) SyscallConn() (syscall.RawConn, error) {
	if io.closed {
		return nil, net.ErrClosed
	}
	return rawConn{io}, nil
}

type rawConn struct{ io *IO }

func (c rawConn) Control(f func(fd uintptr)) error {
	if c.io.closed {
		return net.ErrClosed
	}
	f(uintptr(c.io.fd))
	return nil
}

func (c rawConn) Read(f func(fd uintptr) (done bool)) error { return c.until(f, false) }

func (c rawConn) Write(f func(fd uintptr) (done bool)) error { return c.until(f, true) }

func (c rawConn) until(f func(fd uintptr) (done bool), write bool) error {
	for {
		if c.io.closed {
			return net.ErrClosed
		}
		if f(uintptr(c.io.fd)) {
			return nil
		}
		if err := sys.PollReady(c.io.fd, write); err != nil {
			return err
		}
	}
}
