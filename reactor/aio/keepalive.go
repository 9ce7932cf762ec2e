package aio

import (
	"net"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// The defaults of package net.
const (
	keepAliveTime  = 15 * time.Second
	keepAliveCount = 9
)

// setUp gives a TCP socket the options that a connection begins with.
func setUp(fd int, ka net.KeepAliveConfig) error {
	if err := option(sys.NoDelay(fd, true)); err != nil {
		return err
	}
	if ka == (net.KeepAliveConfig{}) {
		ka.Enable = true
	}
	return keepAlive(fd, ka)
}

// keepAlive sets keep-alive up as net.KeepAliveConfig says: 0 is a default, less
// leaves the system's value.
func keepAlive(fd int, ka net.KeepAliveConfig) error {
	if ka.Idle == 0 {
		ka.Idle = keepAliveTime
	}
	if ka.Interval == 0 {
		ka.Interval = keepAliveTime
	}
	if ka.Count == 0 {
		ka.Count = keepAliveCount
	}
	return option(sys.KeepAlive(fd, ka.Enable, ka.Idle, ka.Interval, ka.Count))
}
