//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sys

import (
	"errors"
	"syscall"
)

// Here descriptors are not supported: Inspect fails, and so nothing else is reached.

var errUnsupported = errors.New("descriptors are not supported on this system")

// Inspect fails.
func Inspect(int) (Facts, error) { return Facts{}, errUnsupported }

// SetNonblock fails.
func SetNonblock(int) (changed bool, err error) { return false, errUnsupported }

// SetBlocking does nothing.
func SetBlocking(int) {}

// CloseOnExec does nothing.
func CloseOnExec(int) {}

// Check fails.
func Check(int) error { return errUnsupported }

// PollReady fails.
func PollReady(int, bool) error { return errUnsupported }

// Reopen gives -1.
func Reopen(int) int { return -1 }

// QuietSocket does nothing.
func QuietSocket(int) syscall.Errno { return 0 }

// Read fails.
func Read(int, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

// ReadBlocking fails.
func ReadBlocking(int, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

// WriteBlocking fails.
func WriteBlocking(int, []byte) (int, syscall.Errno) { return 0, syscall.EINVAL }

// Close fails.
func Close(int) syscall.Errno { return syscall.EINVAL }

// LocalAddr is none.
func LocalAddr(int) Addr { return Addr{} }

// RemoteAddr is none.
func RemoteAddr(int) Addr { return Addr{} }
