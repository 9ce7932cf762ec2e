//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sys

import "syscall"

// Duplicate fails.
func Duplicate(int) (int, syscall.Errno) { return -1, syscall.ENOSYS }

// ReadAt fails.
func ReadAt(int, []byte, int64) (int, syscall.Errno) { return 0, syscall.ENOSYS }

// WriteAt fails.
func WriteAt(int, []byte, int64) (int, syscall.Errno) { return 0, syscall.ENOSYS }

// Seek fails.
func Seek(int, int64, int) (int64, syscall.Errno) { return 0, syscall.ENOSYS }

// Sync fails.
func Sync(int) syscall.Errno { return syscall.ENOSYS }

// Truncate fails.
func Truncate(int, int64) syscall.Errno { return syscall.ENOSYS }
