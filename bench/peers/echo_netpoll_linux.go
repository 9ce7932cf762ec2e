package main

import (
	"context"
	"fmt"

	"github.com/cloudwego/netpoll"
)

func serveNetpoll(_ int, listening func(string)) error {
	l, err := netpoll.CreateListener("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("netpoll: %w", err)
	}
	loop, err := netpoll.NewEventLoop(echoNetpoll)
	if err != nil {
		return fmt.Errorf("netpoll: %w", err)
	}
	listening(l.Addr().String())
	return loop.Serve(l)
}

// echoNetpoll sends back what has arrived, without a copy.
func echoNetpoll(_ context.Context, c netpoll.Connection) error {
	in, out := c.Reader(), c.Writer()
	data, err := in.Next(in.Len())
	if err != nil {
		return err
	}
	if _, err := out.WriteBinary(data); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return in.Release()
}
