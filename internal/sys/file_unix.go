//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The calls below may block: they are for goroutines that may.

// Duplicate returns another descriptor of what fd is one of, close-on-exec.
func Duplicate(fd int) (int, syscall.Errno) {
	if _, e := consult(CallOpen, -1, 0); e != 0 {
		return -1, e
	}
	nfd, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return nfd, errno(err)
}

// ReadAt reads from a place of a file.
func ReadAt(fd int, b []byte, off int64) (int, syscall.Errno) {
	for {
		n, e := consult(CallRead, fd, min(len(b), maxRW))
		if e == 0 {
			n, e = result(unix.Pread(fd, b[:n], off))
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}

// WriteAt writes to a place of a file.
func WriteAt(fd int, b []byte, off int64) (int, syscall.Errno) {
	for {
		n, e := consult(CallWrite, fd, min(len(b), maxRW))
		if e == 0 {
			n, e = result(unix.Pwrite(fd, b[:n], off))
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}

// Seek moves a file's place.
func Seek(fd int, off int64, whence int) (int64, syscall.Errno) {
	at, err := unix.Seek(fd, off, whence)
	return at, errno(err)
}

// Sync brings a file to the disk.
func Sync(fd int) syscall.Errno { return uninterrupted(func() error { return unix.Fsync(fd) }) }

// Truncate changes a file's size.
func Truncate(fd int, size int64) syscall.Errno {
	return uninterrupted(func() error { return unix.Ftruncate(fd, size) })
}

// uninterrupted makes a call again that a signal has interrupted.
func uninterrupted(call func() error) syscall.Errno {
	for {
		if e := errno(call()); e != unix.EINTR {
			return e
		}
	}
}
