//go:build dragonfly || freebsd || linux || netbsd || openbsd

package sys

import "golang.org/x/sys/unix"

const openVnode = unix.O_RDONLY
