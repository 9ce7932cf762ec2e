//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package poll

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bsd is the Kernel of macOS and the BSDs. Wake-ups go through a pipe: not
// every one of them has EVFILT_USER.
type bsd struct {
	fd, rd, wr int
	evs        []unix.Kevent_t
}

// Open returns the backend of this system.
func Open() (Backend, error) {
	k := &bsd{fd: -1, rd: -1, wr: -1, evs: make([]unix.Kevent_t, 128)}
	if err := k.pipe(); err != nil {
		k.Close()
		return nil, os.NewSyscallError("pipe", err)
	}
	e, errno := NewKqueue(k)
	if errno != 0 {
		return nil, os.NewSyscallError("kqueue", errno)
	}
	return e, nil
}

// pipe makes the pipe without pipe2, which macOS lacks, and keeps a fork out
// until it is close-on-exec.
func (k *bsd) pipe() error {
	p := make([]int, 2)
	syscall.ForkLock.RLock()
	err := unix.Pipe(p)
	if err == nil {
		k.rd, k.wr = p[0], p[1]
		unix.CloseOnExec(k.rd)
		unix.CloseOnExec(k.wr)
	}
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = unix.SetNonblock(k.rd, true)
	}
	if err == nil {
		err = unix.SetNonblock(k.wr, true)
	}
	return err
}

// Renew implements [Kernel].
func (k *bsd) Renew() syscall.Errno {
	syscall.ForkLock.RLock()
	fd, err := unix.Kqueue()
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err.(syscall.Errno)
	}
	if k.fd >= 0 {
		_ = unix.Close(k.fd)
	}
	k.fd = fd
	return 0
}

// Kevent implements [Kernel].
func (k *bsd) Kevent(change *Kevent, events []Kevent, timeout time.Duration) (int, syscall.Errno) {
	var changes []unix.Kevent_t
	if change != nil {
		changes = []unix.Kevent_t{native(change)}
	}
	var ts *unix.Timespec
	if timeout >= 0 {
		t := unix.NsecToTimespec(int64(timeout))
		ts = &t
	}
	evs := k.evs[:min(len(events), len(k.evs))]
	n, err := unix.Kevent(k.fd, changes, evs, ts)
	if err != nil {
		return 0, err.(syscall.Errno)
	}
	for i := range evs[:n] {
		events[i] = portable(&evs[i])
	}
	return n, 0
}

func native(c *Kevent) (ev unix.Kevent_t) {
	filter, flags := unix.EVFILT_READ, 0
	if c.Filter == FilterWrite {
		filter = unix.EVFILT_WRITE
	}
	for f, bit := range map[Flags]int{FlagAdd: unix.EV_ADD, FlagDelete: unix.EV_DELETE, FlagClear: unix.EV_CLEAR} {
		if c.Flags&f != 0 {
			flags |= bit
		}
	}
	unix.SetKevent(&ev, c.Fd, filter, flags)
	*udata(&ev) = uintptr(c.Tag)
	return ev
}

func portable(ev *unix.Kevent_t) Kevent {
	out := Kevent{Fd: int(ev.Ident), Fflags: uint32(ev.Fflags), Data: int64(ev.Data), Tag: uint32(*udata(ev))}
	filter := int(ev.Filter)
	if filter == unix.EVFILT_WRITE {
		out.Filter = FilterWrite
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

// WakeFd implements [Kernel].
func (k *bsd) WakeFd() int { return k.rd }

// Poke implements [Kernel]. A full pipe wakes as well.
func (k *bsd) Poke() { _, _ = unix.Write(k.wr, []byte{0}) }

// Drain implements [Kernel].
func (k *bsd) Drain() {
	var b [64]byte
	for {
		if n, err := unix.Read(k.rd, b[:]); n < len(b) && err != unix.EINTR {
			return
		}
	}
}

// Close implements [Kernel].
func (k *bsd) Close() {
	for _, fd := range []int{k.fd, k.rd, k.wr} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
