//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package reactor

import (
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// checkChild refuses nothing: these systems tell only when waiting.
func checkChild(*os.Process) error { return nil }

// watch begins to wait for the child's end, through a kqueue of its own, and
// reports whether it has ended already, as macOS says of one that is not reaped yet.
func (p *Process) watch() (ended bool, err error) {
	fd, errno := sys.OpenProcess(p.p.Pid)
	switch errno {
	case 0:
		return false, p.watchDescriptor(fd)
	case syscall.ESRCH:
		return true, nil
	}
	return false, os.NewSyscallError("kevent", errno)
}
