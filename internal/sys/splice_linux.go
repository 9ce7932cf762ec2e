package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// CanSplice reports whether SpliceIn and SpliceOut can do anything.
const CanSplice = true

// SpliceIn moves up to max bytes from a non-blocking descriptor into a pipe. 0 bytes
// without an error are the end, or that something is there which is none of the bytes
// and has to be read, or read past.
func SpliceIn(fd, pipe, max int) (int, syscall.Errno) {
	n, e := splice(fd, fd, pipe, max)
	if e == unix.EAGAIN && atMark(fd) {
		return 0, 0 // urgent data, at which it would say that for ever
	}
	return n, e
}

// atMark reports whether urgent data is what a socket has next.
func atMark(fd int) bool {
	mark, err := unix.IoctlGetInt(fd, unix.SIOCATMARK)
	return err == nil && mark != 0
}

// SpliceOut moves up to max bytes out of a pipe to a non-blocking descriptor. Asked
// for more than the pipe has it may keep the last packet back for a while.
func SpliceOut(pipe, fd, max int) (int, syscall.Errno) { return splice(fd, pipe, fd, max) }

// splice consults about fd.
func splice(fd, from, to, max int) (int, syscall.Errno) {
	for {
		n, e := consult(CallSplice, fd, min(max, maxRW))
		if e == 0 {
			var moved uintptr
			moved, _, e = syscall.RawSyscall6(unix.SYS_SPLICE, uintptr(from), 0, uintptr(to), 0,
				uintptr(n), unix.SPLICE_F_MOVE|unix.SPLICE_F_NONBLOCK)
			n = int(moved)
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}

// OpenPipe makes a pipe that is close-on-exec, does not block and holds size bytes, or
// as many as the system grants.
func OpenPipe(size int) (r, w, holds int, e syscall.Errno) {
	size, e = consult(CallOpen, -1, size)
	if e != 0 {
		return -1, -1, 0, e
	}
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return -1, -1, 0, errno(err)
	}
	holds, err := unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, size)
	if err != nil {
		if holds, err = unix.FcntlInt(uintptr(ends[1]), unix.F_GETPIPE_SZ, 0); err != nil {
			holds = unix.Getpagesize()
		}
	}
	return ends[0], ends[1], holds, 0
}
