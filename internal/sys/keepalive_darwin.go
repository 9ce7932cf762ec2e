package sys

import "golang.org/x/sys/unix"

const (
	keepIdle     = unix.TCP_KEEPALIVE // its name here
	keepInterval = unix.TCP_KEEPINTVL
	keepCount    = unix.TCP_KEEPCNT
)
