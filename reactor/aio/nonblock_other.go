//go:build !unix

package aio

// nonblock is nothing that this system has.
const nonblock = 0
