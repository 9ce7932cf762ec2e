package aio

import "net"

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
