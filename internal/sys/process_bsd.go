//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// OpenProcess returns a descriptor that becomes readable when the process
// ends: a kqueue with nothing in it but that. ESRCH says that it has ended.
func OpenProcess(pid int) (int, syscall.Errno) {
	if _, e := consult(CallOpen, -1, 0); e != 0 {
		return -1, e
	}
	kq, err := unix.Kqueue()
	if err != nil {
		return -1, errno(err)
	}
	unix.CloseOnExec(kq)
	changes := make([]unix.Kevent_t, 1)
	unix.SetKevent(&changes[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	changes[0].Fflags = unix.NOTE_EXIT
	for {
		_, err = unix.Kevent(kq, changes, nil, nil)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		_ = unix.Close(kq)
		return -1, errno(err)
	}
	return kq, 0
}
