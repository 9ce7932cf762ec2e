//go:build dragonfly || freebsd || linux || netbsd || openbsd

package sys

import "golang.org/x/sys/unix"

func socket(family, typ int) (int, error) {
	return unix.Socket(family, typ|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
}
