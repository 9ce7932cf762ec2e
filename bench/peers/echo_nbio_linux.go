package main

import (
	"fmt"
	"net"

	"github.com/lesismal/nbio"
	"github.com/lesismal/nbio/logging"
)

func serveNbio(buffer int, listening func(string)) error {
	logging.SetLevel(logging.LevelNone)
	addresses := make(chan string, 1)
	engine := nbio.NewEngine(nbio.Config{
		Network:        "tcp",
		Addrs:          []string{"127.0.0.1:0"},
		ReadBufferSize: buffer,
		Listen: func(network, address string) (net.Listener, error) {
			l, err := net.Listen(network, address)
			if err == nil {
				addresses <- l.Addr().String()
			}
			return l, err
		},
	})
	engine.OnData(func(c *nbio.Conn, data []byte) {
		if _, err := c.Write(data); err != nil {
			c.Close()
		}
	})
	if err := engine.Start(); err != nil {
		return fmt.Errorf("nbio: %w", err)
	}
	listening(<-addresses)
	engine.Wait()
	return nil
}
