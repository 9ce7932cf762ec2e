//go:build unix

package reactor

import (
	"os"
	"syscall"
)

// catchable reports whether a program can learn of sig.
func catchable(sig os.Signal) bool {
	s, ok := sig.(syscall.Signal)
	return ok && s > 0 && s != syscall.SIGKILL && s != syscall.SIGSTOP
}
