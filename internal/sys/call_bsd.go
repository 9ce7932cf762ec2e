//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func read(fd int, b []byte) (int, syscall.Errno) { return result(syscall.Read(fd, b)) }

func write(fd int, b []byte) (int, syscall.Errno) { return result(syscall.Write(fd, b)) }

// send is SendmsgN without control data: Sendto of package unix tells no count.
func send(fd int, b []byte) (int, syscall.Errno) {
	return result(unix.SendmsgN(fd, b, nil, nil, noSignal))
}

func recvfrom(fd int, b []byte) (int, Addr, syscall.Errno) {
	n, sa, err := unix.Recvfrom(fd, b, 0)
	if err != nil {
		return 0, Addr{}, errno(err)
	}
	return n, address(sa), 0
}

func sendto(fd int, b []byte, to Addr, inet6 bool) (int, syscall.Errno) {
	if !to.Valid() {
		return send(fd, b)
	}
	sa, e := sockaddr(to, inet6)
	if e != 0 {
		return 0, e
	}
	return result(unix.SendmsgN(fd, b, nil, sa, noSignal))
}

// Vec is scratch space for WriteV.
type Vec struct{ bufs [][]byte }

const maxVec = 1024

func writev(fd int, socket bool, bufs [][]byte, limit int, vec *Vec) (int, syscall.Errno) {
	vec.bufs = vec.bufs[:0]
	for _, b := range bufs {
		b = b[:min(len(b), limit)]
		if limit -= len(b); len(b) == 0 {
			continue
		}
		if vec.bufs = append(vec.bufs, b); len(vec.bufs) == maxVec {
			break
		}
	}
	switch {
	case len(vec.bufs) == 0:
		return 0, 0
	case !socket:
		return write(fd, vec.bufs[0])
	}
	n, e := result(unix.SendmsgBuffers(fd, vec.bufs, nil, nil, noSignal))
	clear(vec.bufs)
	return n, e
}
