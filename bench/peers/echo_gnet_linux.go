package main

import (
	"fmt"
	"net"

	"github.com/panjf2000/gnet/v2"
)

// gnetServer echoes whatever has arrived.
type gnetServer struct {
	gnet.BuiltinEventEngine
	booted func()
}

func (s *gnetServer) OnBoot(gnet.Engine) gnet.Action {
	s.booted()
	return gnet.None
}

func (s *gnetServer) OnTraffic(c gnet.Conn) gnet.Action {
	data, err := c.Next(-1)
	if err == nil {
		_, err = c.Write(data)
	}
	if err != nil {
		return gnet.Close
	}
	return gnet.None
}

// serveGnet is one loop, unless the options say otherwise.
func serveGnet(options ...gnet.Option) func(buffer int, listening func(string)) error {
	return func(buffer int, listening func(string)) error {
		address, err := freePort()
		if err != nil {
			return err
		}
		return gnet.Run(
			&gnetServer{booted: func() { listening(address) }}, "tcp://"+address,
			append(options, gnet.WithTCPNoDelay(gnet.TCPNoDelay), gnet.WithReadBufferCap(buffer))...,
		)
	}
}

// freePort is an address that nobody listens on: gnet does not tell which port
// it was given.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}
