//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sys

import (
	"syscall"
	"time"
)

// Family is an address family.
type Family int

// The families.
const (
	Inet4 Family = iota + 1
	Inet6
	Local
)

// Socket fails.
func Socket(Family, bool, bool) (int, syscall.Errno) { return -1, syscall.ENOSYS }

// Bind fails.
func Bind(int, Addr, bool) syscall.Errno { return syscall.ENOSYS }

// Listen fails.
func Listen(int, int) syscall.Errno { return syscall.ENOSYS }

// ReuseAddr fails.
func ReuseAddr(int) syscall.Errno { return syscall.ENOSYS }

// ReusePort fails.
func ReusePort(int) syscall.Errno { return syscall.ENOSYS }

// NoDelay fails.
func NoDelay(int, bool) syscall.Errno { return syscall.ENOSYS }

// Shutdown fails.
func Shutdown(int, bool, bool) syscall.Errno { return syscall.ENOSYS }

// Linger fails.
func Linger(int, int) syscall.Errno { return syscall.ENOSYS }

// Buffers fails.
func Buffers(int, int, int) syscall.Errno { return syscall.ENOSYS }

// KeepAlive fails.
func KeepAlive(int, bool, time.Duration, time.Duration, int) syscall.Errno { return syscall.ENOSYS }

// OptionsInherited is false.
func OptionsInherited() bool { return false }
