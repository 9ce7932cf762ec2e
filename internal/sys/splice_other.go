//go:build !linux

package sys

import "syscall"

// CanSplice reports whether SpliceIn and SpliceOut can do anything.
const CanSplice = false

// SpliceIn fails.
func SpliceIn(int, int, int) (int, syscall.Errno) { return 0, syscall.ENOSYS }

// SpliceOut fails.
func SpliceOut(int, int, int) (int, syscall.Errno) { return 0, syscall.ENOSYS }

// OpenPipe fails.
func OpenPipe(int) (r, w, holds int, e syscall.Errno) { return -1, -1, 0, syscall.ENOSYS }
