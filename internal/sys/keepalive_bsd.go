//go:build dragonfly || freebsd || netbsd

package sys

import "golang.org/x/sys/unix"

const (
	keepIdle     = unix.TCP_KEEPIDLE
	keepInterval = unix.TCP_KEEPINTVL
	keepCount    = unix.TCP_KEEPCNT
)
