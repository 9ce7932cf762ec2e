package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls below never block, so they go to the kernel without telling Go's
// scheduler: that would cost more than many of them.

var empty byte

func first(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return unsafe.Pointer(&empty)
	}
	return unsafe.Pointer(&b[0])
}

func write(fd int, b []byte) (int, syscall.Errno) {
	raceRelease()
	n, _, e := syscall.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(first(b)), uintptr(len(b)))
	return int(n), e
}

func send(fd int, b []byte) (int, syscall.Errno) {
	raceRelease()
	n, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(first(b)), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), e
}

func recvfrom(fd int, b []byte) (int, Addr, syscall.Errno) {
	var sa unix.RawSockaddrAny
	size := uint32(unsafe.Sizeof(sa))
	n, _, e := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(first(b)), uintptr(len(b)), 0,
		uintptr(unsafe.Pointer(&sa)), uintptr(unsafe.Pointer(&size)))
	if e != 0 {
		return 0, Addr{}, e
	}
	return int(n), decode(&sa, int(size)), 0
}

func sendto(fd int, b []byte, to Addr, inet6 bool) (int, syscall.Errno) {
	if !to.Valid() {
		return send(fd, b)
	}
	var sa unix.RawSockaddrAny
	size, e := encode(&sa, to, inet6)
	if e != 0 {
		return 0, e
	}
	raceRelease()
	n, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(first(b)), uintptr(len(b)), unix.MSG_NOSIGNAL,
		uintptr(unsafe.Pointer(&sa)), uintptr(size))
	return int(n), e
}

func accept(fd int) (int, Addr, syscall.Errno) {
	var sa unix.RawSockaddrAny
	size := uint32(unsafe.Sizeof(sa))
	n, _, e := syscall.RawSyscall6(unix.SYS_ACCEPT4, uintptr(fd), uintptr(unsafe.Pointer(&sa)), uintptr(unsafe.Pointer(&size)),
		unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0, 0)
	if e != 0 {
		return -1, Addr{}, e
	}
	return int(n), decode(&sa, int(size)), 0
}

// Vec is scratch space for WriteV.
type Vec struct{ iov []unix.Iovec }

// maxVec is the most buffers that one call takes.
const maxVec = 1024

func writev(fd int, socket bool, bufs [][]byte, limit int, vec *Vec) (int, syscall.Errno) {
	vec.iov = vec.iov[:0]
	for _, b := range bufs {
		b = b[:min(len(b), limit)]
		if limit -= len(b); len(b) == 0 {
			continue
		}
		v := unix.Iovec{Base: &b[0]}
		v.SetLen(len(b))
		if vec.iov = append(vec.iov, v); len(vec.iov) == maxVec {
			break
		}
	}
	if len(vec.iov) == 0 {
		return 0, 0
	}
	raceRelease()
	var n uintptr
	var e syscall.Errno
	if socket {
		msg := unix.Msghdr{Iov: &vec.iov[0]}
		msg.SetIovlen(len(vec.iov))
		n, _, e = syscall.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&msg)), unix.MSG_NOSIGNAL)
	} else {
		n, _, e = syscall.RawSyscall(unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(&vec.iov[0])), uintptr(len(vec.iov)))
	}
	clear(vec.iov)
	return int(n), e
}
