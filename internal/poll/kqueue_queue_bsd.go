//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package poll

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bsdQueue is a kqueue of macOS or a BSD.
type bsdQueue struct {
	fd  int
	evs []unix.Kevent_t
}

// OpenQueue returns a kqueue that is the caller's alone.
func OpenQueue() (Queue, error) {
	q := &bsdQueue{fd: -1}
	if errno := q.Renew(); errno != 0 {
		return nil, os.NewSyscallError("kqueue", errno)
	}
	return q, nil
}

// Renew implements [Kernel].
func (q *bsdQueue) Renew() syscall.Errno {
	syscall.ForkLock.RLock()
	fd, err := unix.Kqueue()
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err.(syscall.Errno)
	}
	if q.fd >= 0 {
		_ = unix.Close(q.fd)
	}
	q.fd = fd
	return 0
}

// Fd implements [Queue].
func (q *bsdQueue) Fd() int { return q.fd }

// Close implements [Queue].
func (q *bsdQueue) Close() {
	if q.fd >= 0 {
		_ = unix.Close(q.fd)
	}
}

// Kevent implements [Queue].
func (q *bsdQueue) Kevent(change *Kevent, events []Kevent, timeout time.Duration) (int, syscall.Errno) {
	var changes []unix.Kevent_t
	if change != nil {
		changes = []unix.Kevent_t{native(change)}
	}
	var ts *unix.Timespec
	if timeout >= 0 {
		t := unix.NsecToTimespec(int64(timeout))
		ts = &t
	}
	if len(q.evs) < len(events) {
		q.evs = make([]unix.Kevent_t, len(events))
	}
	evs := q.evs[:len(events)]
	n, err := unix.Kevent(q.fd, changes, evs, ts)
	if err != nil {
		return 0, err.(syscall.Errno)
	}
	for i := range evs[:n] {
		events[i] = portable(&evs[i])
	}
	return n, 0
}

// filters are the system's, by ours.
var filters = [...]int{
	FilterRead:  unix.EVFILT_READ,
	FilterWrite: unix.EVFILT_WRITE,
	FilterVnode: unix.EVFILT_VNODE,
	FilterProc:  unix.EVFILT_PROC,
}

// notes are the system's, by the place of ours.
var notes = [...]uint32{
	unix.NOTE_DELETE, unix.NOTE_WRITE, unix.NOTE_EXTEND, unix.NOTE_ATTRIB,
	unix.NOTE_LINK, unix.NOTE_RENAME, unix.NOTE_REVOKE,
}

func native(c *Kevent) (ev unix.Kevent_t) {
	flags := 0
	for f, bit := range map[Flags]int{FlagAdd: unix.EV_ADD, FlagDelete: unix.EV_DELETE, FlagClear: unix.EV_CLEAR} {
		if c.Flags&f != 0 {
			flags |= bit
		}
	}
	unix.SetKevent(&ev, c.Fd, filters[c.Filter], flags)
	switch c.Filter {
	case FilterVnode:
		for i, note := range notes {
			if c.Fflags&(1<<i) != 0 {
				ev.Fflags |= note
			}
		}
	case FilterProc:
		ev.Fflags = unix.NOTE_EXIT
	}
	*udata(&ev) = uintptr(c.Tag)
	return ev
}

func portable(ev *unix.Kevent_t) Kevent {
	out := Kevent{Fd: int(ev.Ident), Fflags: uint32(ev.Fflags), Data: int64(ev.Data), Tag: uint32(*udata(ev))}
	for f, filter := range filters {
		if int(ev.Filter) == filter {
			out.Filter = Filter(f)
		}
	}
	if out.Filter == FilterVnode {
		out.Fflags = 0
		for i, note := range notes {
			if ev.Fflags&note != 0 {
				out.Fflags |= 1 << i
			}
		}
	}
	if ev.Flags&unix.EV_EOF != 0 {
		out.Flags |= FlagEOF
	}
	if ev.Flags&unix.EV_ERROR != 0 {
		out.Flags |= FlagError
	}
	return out
}

// udata is the field that the kernel hands back. Most systems declare it a
// pointer; it is none here, and too small a number to be taken for one.
func udata(ev *unix.Kevent_t) *uintptr { return (*uintptr)(unsafe.Pointer(&ev.Udata)) }
