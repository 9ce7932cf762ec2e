package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Exited reports whether the child pid has ended; it stays to be reaped.
// ECHILD says that it is no child of ours, or was reaped.
func Exited(pid int) (bool, syscall.Errno) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil && info.Signo == int32(unix.SIGCHLD), errno(err)
		}
	}
}

// OpenProcess returns a descriptor that becomes readable when the process ends.
func OpenProcess(pid int) (int, syscall.Errno) {
	if _, e := consult(CallOpen, -1, 0); e != 0 {
		return -1, e
	}
	fd, err := unix.PidfdOpen(pid, 0)
	return fd, errno(err)
}
