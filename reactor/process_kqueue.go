//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package reactor

import (
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// watchQueue begins to wait for the child's end through a kqueue with nothing in it
// but that, so that no process is taken for a descriptor. It reports whether the
// child has ended already, as macOS says of one that is not reaped yet.
func (p *Process) watchQueue(open func() (poll.Queue, error)) (ended bool, err error) {
	queue, err := open()
	if err != nil {
		return false, err
	}
	exit := poll.Kevent{Fd: p.p.Pid, Filter: poll.FilterProc, Flags: poll.FlagAdd}
	errno := syscall.EINTR
	for errno == syscall.EINTR {
		if errno = sys.Consult(sys.CallRegister, queue.Fd()); errno == 0 {
			_, errno = queue.Kevent(&exit, nil, 0)
		}
	}
	switch errno {
	case 0:
		return false, p.watchDescriptor(queue.Fd(), queue.Close)
	case syscall.ESRCH:
		queue.Close()
		return true, nil
	}
	queue.Close()
	return false, os.NewSyscallError("kevent", errno)
}
