package poll

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// epoll is the selector of Linux. The descriptor and the tag of a registration
// travel in the 64 bits of data that the kernel gives back with an event. Tag
// 0 is the eventfd's, which is edge-triggered: it is never read, each write to
// it reports it once.
type epoll struct {
	fd, event int
	evs       []unix.EpollEvent
}

// Open returns the backend of this system.
func Open() (Backend, error) {
	ep := &epoll{fd: -1, event: -1, evs: make([]unix.EpollEvent, 128)}
	var err error
	if ep.event, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("eventfd", err)
	}
	if errno := ep.renew(); errno != 0 {
		ep.close()
		return nil, os.NewSyscallError("epoll_create", errno)
	}
	return newReadiness(ep), nil
}

// renew starts over. Wake-ups go to the eventfd, which stays.
func (ep *epoll) renew() syscall.Errno {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err.(syscall.Errno)
	}
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: int32(ep.event)}
	if errno := sys.EpollCtl(fd, unix.EPOLL_CTL_ADD, ep.event, &ev); errno != 0 {
		_ = unix.Close(fd)
		return errno
	}
	if ep.fd >= 0 {
		_ = unix.Close(ep.fd)
	}
	ep.fd = fd
	return 0
}

func (ep *epoll) eager() bool { return true }

func (ep *epoll) urgent() bool { return true }

func (ep *epoll) tagOf(tag uint32) uint32 { return tag }

func (ep *epoll) set(fd int, tag uint32, from, to interest) syscall.Errno {
	if !to.on {
		if !from.on {
			return 0
		}
		return ep.control(unix.EPOLL_CTL_DEL, fd, tag, to)
	}
	first, second, unless := unix.EPOLL_CTL_ADD, unix.EPOLL_CTL_MOD, unix.EEXIST
	if from.on {
		first, second, unless = second, first, unix.ENOENT
	}
	errno := ep.control(first, fd, tag, to)
	if errno == unless {
		errno = ep.control(second, fd, tag, to)
	}
	if errno != 0 {
		_ = ep.control(unix.EPOLL_CTL_DEL, fd, tag, to)
	}
	return errno
}

func (ep *epoll) control(op, fd int, tag uint32, to interest) syscall.Errno {
	ev := unix.EpollEvent{Events: events(to), Fd: int32(fd), Pad: int32(tag)}
	return sys.EpollCtl(ep.fd, op, fd, &ev)
}

func events(i interest) uint32 {
	var ev uint32
	if i.mode&In != 0 {
		ev |= unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLPRI
	}
	if i.mode&Out != 0 {
		ev |= unix.EPOLLOUT
	}
	if !i.level {
		ev |= unix.EPOLLET
	}
	return ev
}

func (ep *epoll) wait(seen []report, timeout time.Duration) (int, syscall.Errno) {
	n, errno := sys.EpollWait(ep.fd, ep.evs[:min(len(seen), len(ep.evs))], timeout)
	if errno != 0 {
		return 0, errno
	}
	k := 0
	for i := range ep.evs[:n] {
		ev := &ep.evs[i]
		if ev.Pad == 0 {
			continue
		}
		rep := report{fd: int(ev.Fd), tag: uint32(ev.Pad)}
		if ev.Events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLPRI) != 0 {
			rep.mode |= In
		}
		if ev.Events&unix.EPOLLOUT != 0 {
			rep.mode |= Out
		}
		rep.end = ev.Events&(unix.EPOLLHUP|unix.EPOLLERR) != 0
		rep.more = rep.end || ev.Events&(unix.EPOLLRDHUP|unix.EPOLLPRI) != 0
		seen[k] = rep
		k++
	}
	return k, 0
}

func (ep *epoll) wake() {
	one := [8]byte{1} // any count but 0, in any byte order
	_, _ = unix.Write(ep.event, one[:])
}

func (ep *epoll) close() {
	for _, fd := range []int{ep.fd, ep.event} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
