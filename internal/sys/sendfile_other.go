//go:build !linux

package sys

import "syscall"

// CanSendFile reports whether SendFile can do anything.
const CanSendFile = false

// SendFile fails.
func SendFile(int, int, int) (int, syscall.Errno) { return 0, syscall.ENOSYS }
