//go:build unix

package aio

import "syscall"

// nonblock has an open that would wait for another party return at once.
const nonblock = syscall.O_NONBLOCK
