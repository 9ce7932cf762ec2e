package work

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// serveEpoll is the least that an echo server in Go can do: one thread, one
// level-triggered epoll, a read and a write for each message. It is the floor
// that any library stands on, and no server to use: a peer that does not read
// fails it.
func serveEpoll(buffer int, listening func(string)) error {
	listener, address, err := listenLoopback()
	if err != nil {
		return err
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("epoll_create1: %w", err)
	}
	if err := watch(ep, listener, unix.EPOLLIN); err != nil {
		return err
	}
	listening(address)
	events := make([]unix.EpollEvent, 256)
	buf := make([]byte, buffer)
	for {
		n, err := unix.EpollWait(ep, events, -1)
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("epoll_wait: %w", err)
		}
		for _, event := range events[:max(n, 0)] {
			serve := echoOnce
			if int(event.Fd) == listener {
				serve = func(fd int, _ []byte) error { return acceptInto(ep, fd) }
			}
			if err := serve(int(event.Fd), buf); err != nil {
				return err
			}
		}
	}
}

func acceptInto(ep, listener int) error {
	fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err != nil {
		return fmt.Errorf("accept4: %w", err)
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return fmt.Errorf("setsockopt: %w", err)
	}
	return watch(ep, fd, unix.EPOLLIN)
}

func echoOnce(fd int, buf []byte) error {
	n, err := unix.Read(fd, buf)
	if n <= 0 {
		if err == unix.EAGAIN {
			return nil
		}
		return unix.Close(fd)
	}
	return writeAll(fd, buf[:n])
}

// writeAll waits where the kernel has no room, and lets everyone else wait.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err == unix.EAGAIN {
			_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
		}
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("write: %w", err)
		}
		b = b[max(n, 0):]
	}
	return nil
}

// listenLoopback listens on a free port of the loopback address.
func listenLoopback() (fd int, address string, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, "", fmt.Errorf("socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, "", fmt.Errorf("bind: %w", err)
	}
	if err := unix.Listen(fd, 4096); err != nil {
		return 0, "", fmt.Errorf("listen: %w", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, "", fmt.Errorf("getsockname: %w", err)
	}
	bound := name.(*unix.SockaddrInet4)
	return fd, (&net.TCPAddr{IP: bound.Addr[:], Port: bound.Port}).String(), nil
}

func watch(ep, fd int, events uint32) error {
	err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
	if err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}
