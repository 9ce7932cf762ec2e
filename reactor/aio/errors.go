package aio

import (
	"net"
	"os"
)

// opError makes a net.OpError of err, unless it is one or nil.
func opError(op, network string, source, addr net.Addr, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(*net.OpError); ok {
		return err
	}
	return &net.OpError{Op: op, Net: network, Source: source, Addr: addr, Err: err}
}

// errClosed is net.ErrClosed for files and streams, which package os is expected
// to speak of.
var errClosed error = closedError{}

type closedError struct{}

func (closedError) Error() string { return os.ErrClosed.Error() }

// Is reports whether target is os.ErrClosed or net.ErrClosed.
func (closedError) Is(target error) bool { return target == os.ErrClosed || target == net.ErrClosed }

// pathError makes an os.PathError of err, unless it is nil; what was a system call's
// error loses the name of the call, which is op.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(*os.PathError); ok {
		return err
	}
	if err == net.ErrClosed {
		err = errClosed
	}
	if e, ok := err.(*os.SyscallError); ok {
		err = e.Err
	}
	return &os.PathError{Op: op, Path: path, Err: err}
}
