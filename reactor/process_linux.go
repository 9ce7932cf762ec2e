package reactor

import (
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// checkChild refuses what is not our child. One that was reaped is let pass:
// its event tells.
func checkChild(p *os.Process) error {
	if _, errno := sys.Exited(p.Pid); errno == syscall.ECHILD && p.Signal(syscall.Signal(0)) == nil {
		return os.NewSyscallError("waitid", errno)
	}
	return nil
}

// watch begins to wait for the child's end, by a pidfd where the system gives
// one, and reports whether it has ended already.
func (p *Process) watch() (ended bool, err error) {
	if ended, errno := sys.Exited(p.p.Pid); ended || errno != 0 {
		return true, nil // what is wrong, Wait tells
	}
	fd, errno := sys.OpenProcess(p.p.Pid)
	if errno == 0 {
		return false, p.watchDescriptor(fd, func() { _ = sys.Close(fd) })
	}
	return p.watchSignal()
}

// watchSignal looks at the child whenever any child's end is signalled. The
// look after arming covers an end that came before.
func (p *Process) watchSignal() (ended bool, err error) {
	child := &Signal{r: p.r, sig: syscall.SIGCHLD}
	child.Subscribe(func(err error) {
		if ended, errno := sys.Exited(p.p.Pid); err == nil && (ended || errno != 0) {
			p.reap()
		}
	})
	if err := child.Start(); err != nil {
		return false, err
	}
	p.unwatch = child.Stop
	ended, errno := sys.Exited(p.p.Pid)
	return ended || errno != 0, nil
}
