package sys

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// EpollCtl adds, changes or removes a registration.
func EpollCtl(epfd, op, fd int, ev *unix.EpollEvent) syscall.Errno {
	for {
		_, e := consult(CallRegister, fd, 0)
		if e == 0 {
			_, _, e = syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(epfd), uintptr(op), uintptr(fd), uintptr(unsafe.Pointer(ev)), 0, 0)
		}
		if e != unix.EINTR {
			return e
		}
	}
}

// noPwait2 is set once the kernel has shown not to know epoll_pwait2 (before 5.11).
var noPwait2 atomic.Bool

// EpollWait waits for at least timeout, unless something happens; less than 0
// is for ever, and 0 does not block. An interrupted wait is one that saw nothing.
func EpollWait(epfd int, evs []unix.EpollEvent, timeout time.Duration) (int, syscall.Errno) {
	_, e := consult(CallWait, epfd, 0)
	n := uintptr(0)
	if e == 0 {
		n, e = epollWait(epfd, evs, timeout)
	}
	if e == unix.EINTR {
		return 0, 0
	}
	return count(int(n), e)
}

func epollWait(epfd int, evs []unix.EpollEvent, timeout time.Duration) (n uintptr, e syscall.Errno) {
	buf := unsafe.Pointer(&evs[0])
	if timeout == 0 {
		n, _, e = syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epfd), uintptr(buf), uintptr(len(evs)), 0, 0, 0)
		return n, e
	}
	if timeout > 0 && !noPwait2.Load() {
		ts := [2]int64{int64(timeout / time.Second), int64(timeout % time.Second)}
		n, _, e = syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(epfd), uintptr(buf), uintptr(len(evs)), uintptr(unsafe.Pointer(&ts)), 0, 0)
		if e != unix.ENOSYS && e != unix.EPERM {
			return n, e
		}
		noPwait2.Store(true)
	}
	n, _, e = syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(epfd), uintptr(buf), uintptr(len(evs)), uintptr(Milliseconds(timeout)), 0, 0)
	return n, e
}

// Milliseconds is timeout for a call that counts them: rounded up, so that no
// wait is too short, -1 for ever.
func Milliseconds(timeout time.Duration) int {
	if timeout < 0 {
		return -1
	}
	const longest = 24 * time.Hour // whoever waits longer looks again
	return int((min(timeout, longest) + time.Millisecond - 1) / time.Millisecond)
}
