// Package kqfake is a kqueue for tests on Linux. It gives the real descriptors
// of this system the events that the manual pages of kqueue(2) promise: a
// kevent for each filter of a descriptor, that goes when the descriptor is
// closed, whatever duplicates of it there are; EV_CLEAR; EV_EOF for the end of
// one direction, with data left or not, and with fflags for an error.
package kqfake

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/poll"
)

// Open returns the kqueue backend on a fake kernel.
func Open() (poll.Backend, error) {
	k := &kernel{queues: [2]int{-1, -1}}
	if err := unix.Pipe2(k.pipe[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	e, errno := poll.NewKqueue(k)
	if errno != 0 {
		return nil, errno
	}
	return e, nil
}

// kernel keeps an epoll for each filter, since a descriptor has one place in each.
type kernel struct {
	queues [2]int
	knotes map[key]knote
	pipe   [2]int
}

type key struct {
	fd     int
	filter poll.Filter
}

type knote struct {
	tag    uint32
	events uint32
	inode  uint64
}

// Renew implements poll.Kernel.
func (k *kernel) Renew() syscall.Errno {
	k.knotes = make(map[key]knote)
	for f := range k.queues {
		if errno := k.reopen(poll.Filter(f)); errno != 0 {
			return errno
		}
	}
	return 0
}

// reopen makes the queue of a filter anew, with what is registered: there is no
// other way to be rid of a closed descriptor that lives on in a duplicate.
func (k *kernel) reopen(filter poll.Filter) syscall.Errno {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err.(syscall.Errno)
	}
	if old := k.queues[filter]; old >= 0 {
		_ = unix.Close(old)
	}
	k.queues[filter] = fd
	for at, n := range k.knotes {
		if at.filter == filter {
			_ = k.control(unix.EPOLL_CTL_ADD, at, n)
		}
	}
	return 0
}

func (k *kernel) control(op int, at key, n knote) syscall.Errno {
	ev := unix.EpollEvent{Events: n.events, Fd: int32(at.fd)}
	if err := unix.EpollCtl(k.queues[at.filter], op, at.fd, &ev); err != nil {
		return err.(syscall.Errno)
	}
	return 0
}

// Kevent implements poll.Kernel.
func (k *kernel) Kevent(change *poll.Kevent, events []poll.Kevent, timeout time.Duration) (int, syscall.Errno) {
	if change != nil {
		if errno := k.change(change); errno != 0 {
			return 0, errno
		}
	}
	if len(events) == 0 {
		return 0, 0
	}
	for deadline := time.Now().Add(timeout); ; {
		n := k.retrieve(events)
		if left := time.Until(deadline); n > 0 || timeout >= 0 && left <= 0 {
			return n, 0
		}
		if errno := k.sleep(timeout, time.Until(deadline)); errno != 0 {
			return 0, errno
		}
	}
}

func (k *kernel) sleep(timeout, left time.Duration) syscall.Errno {
	ms := -1
	if timeout >= 0 {
		ms = int((left + time.Millisecond - 1) / time.Millisecond)
	}
	fds := []unix.PollFd{{Fd: int32(k.queues[0]), Events: unix.POLLIN}, {Fd: int32(k.queues[1]), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, ms); err != nil {
		return err.(syscall.Errno)
	}
	return 0
}

func (k *kernel) change(c *poll.Kevent) syscall.Errno {
	at := key{c.Fd, c.Filter}
	inode, errno := inodeOf(c.Fd)
	if errno != 0 {
		return errno
	}
	old, had := k.knotes[at]
	if had && old.inode != inode {
		delete(k.knotes, at)
		if errno := k.reopen(c.Filter); errno != 0 {
			return errno
		}
		had = false
	}
	if c.Flags&poll.FlagDelete != 0 {
		if !had {
			return unix.ENOENT
		}
		delete(k.knotes, at)
		return k.control(unix.EPOLL_CTL_DEL, at, old)
	}
	n := knote{tag: c.Tag, inode: inode, events: unix.EPOLLIN | unix.EPOLLRDHUP}
	if c.Filter == poll.FilterWrite {
		n.events = unix.EPOLLOUT
	}
	if c.Flags&poll.FlagClear != 0 {
		n.events |= unix.EPOLLET
	}
	op := unix.EPOLL_CTL_ADD
	if had {
		op = unix.EPOLL_CTL_MOD
	}
	errno = k.control(op, at, n)
	if errno == 0 {
		k.knotes[at] = n
	}
	return errno
}

// retrieve collects what is active, of descriptors that are still what they were.
func (k *kernel) retrieve(events []poll.Kevent) (n int) {
	for f, queue := range k.queues {
		filter := poll.Filter(f)
		evs := make([]unix.EpollEvent, max(1, (len(events)-n)/(2-f)))
		if len(events) == n {
			break
		}
		got, _ := unix.EpollWait(queue, evs, 0)
		for _, ev := range evs[:max(0, got)] {
			at := key{int(ev.Fd), filter}
			kn, ok := k.knotes[at]
			if inode, errno := inodeOf(at.fd); !ok || errno != 0 || inode != kn.inode {
				delete(k.knotes, at)
				_ = k.reopen(filter)
				continue
			}
			events[n] = kn.event(at, ev.Events)
			n++
		}
	}
	return n
}

func (kn knote) event(at key, ready uint32) poll.Kevent {
	ev := poll.Kevent{Fd: at.fd, Filter: at.filter, Tag: kn.tag}
	if ready&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
		ev.Flags |= poll.FlagEOF
	}
	if ready&unix.EPOLLERR != 0 {
		ev.Fflags = uint32(unix.ECONNRESET)
	}
	return ev
}

func inodeOf(fd int) (uint64, syscall.Errno) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err.(syscall.Errno)
	}
	return st.Ino, 0
}

// Fd implements poll.Queue. A backend waits in Kevent.
func (k *kernel) Fd() int { return -1 }

// WakeFd implements poll.Kernel.
func (k *kernel) WakeFd() int { return k.pipe[0] }

// Poke implements poll.Kernel.
func (k *kernel) Poke() { _, _ = unix.Write(k.pipe[1], []byte{0}) }

// Drain implements poll.Kernel.
func (k *kernel) Drain() {
	var b [64]byte
	for {
		if n, err := unix.Read(k.pipe[0], b[:]); n < len(b) && err != unix.EINTR {
			return
		}
	}
}

// Close implements poll.Kernel.
func (k *kernel) Close() {
	for _, fd := range []int{k.queues[0], k.queues[1], k.pipe[0], k.pipe[1]} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
