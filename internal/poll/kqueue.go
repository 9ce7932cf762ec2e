//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package poll

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// The logic of the kqueue backend. It talks to a [Kernel], which on macOS and
// the BSDs is kevent(2) (kqueue_bsd.go) and in tests elsewhere a fake, so it
// uses the terms of the manual pages and none of their numbers.

// Filter is what a kevent is about.
type Filter uint8

// The filters. A descriptor has one kevent for each.
const (
	FilterRead Filter = iota
	FilterWrite
	FilterVnode // what Fflags ask for, and tell, of a file or directory
	FilterProc  // the end of the process that is Fd
)

// The notes of FilterVnode. Those that come before the event is retrieved are told
// together.
const (
	NoteDelete uint32 = 1 << iota // a name of it was removed
	NoteWrite                     // a file was written to; a directory's entries changed
	NoteExtend
	NoteAttrib
	NoteLink // the count of its names changed
	NoteRename
	NoteRevoke // its file system has gone

	NoteAny = NoteDelete | NoteWrite | NoteExtend | NoteAttrib | NoteLink | NoteRename | NoteRevoke
)

// Flags are a kevent's flags.
type Flags uint8

// The flags. Add, Delete and Clear go in; EOF and Error come out.
const (
	FlagAdd Flags = 1 << iota
	FlagDelete
	FlagClear // edge-triggered: the state is reset when the event is retrieved
	FlagEOF   // the other side has ended this direction; there may be data left
	FlagError // the change failed, with the error in Data
)

// Kevent is one change, or one event. Only the low bits of Tag are carried: see tagBits.
type Kevent struct {
	Fd     int
	Filter Filter
	Flags  Flags
	Fflags uint32 // with FlagEOF, the socket's error; of FilterVnode, notes
	Data   int64
	Tag    uint32
}

// tagBits is how much of a tag goes through the kernel: on machines of 32 bits
// there is no room for more, and what goes there must not look like a pointer.
// More is not needed: a kevent goes with its descriptor, so an event never
// outlives its registration in the kernel.
const tagBits = 12

// Queue is a kqueue: what has changed about what is registered with it. What is
// registered goes with its descriptor.
type Queue interface {
	// Kevent applies one change, or none, and retrieves events, waiting as
	// Backend.Wait does; without room for events it does not wait. A change that
	// fails is the result.
	Kevent(change *Kevent, events []Kevent, timeout time.Duration) (int, syscall.Errno)
	// Fd is readable while there are events to retrieve.
	Fd() int
	Close()
}

// Kernel is what the kqueue backend needs of the system.
type Kernel interface {
	Queue
	// Renew starts over, with nothing registered.
	Renew() syscall.Errno
	// WakeFd becomes readable by Poke, until Drain.
	WakeFd() int
	Poke()
	Drain()
}

type kqueue struct {
	kernel Kernel
	evs    []Kevent
}

// NewKqueue returns a backend over kernel, which it closes with itself, also
// where it fails.
func NewKqueue(kernel Kernel) (*Readiness, syscall.Errno) {
	kq := &kqueue{kernel: kernel, evs: make([]Kevent, 128)}
	if errno := kq.renew(); errno != 0 {
		kernel.Close()
		return nil, errno
	}
	return newReadiness(kq), 0
}

func (kq *kqueue) renew() syscall.Errno {
	if errno := kq.kernel.Renew(); errno != 0 {
		return errno
	}
	return kq.change(kq.kernel.WakeFd(), 0, FilterRead, FlagAdd|FlagClear)
}

// eager is false: each direction is a kevent of its own, and not every
// descriptor has both.
func (kq *kqueue) eager() bool { return false }

func (kq *kqueue) urgent() bool { return false }

func (kq *kqueue) tagOf(tag uint32) uint32 { return tag & (1<<tagBits - 1) }

func (kq *kqueue) change(fd int, tag uint32, filter Filter, flags Flags) syscall.Errno {
	for {
		errno := sys.Consult(sys.CallRegister, fd)
		if errno == 0 {
			_, errno = kq.kernel.Kevent(&Kevent{Fd: fd, Tag: kq.tagOf(tag), Filter: filter, Flags: flags}, nil, 0)
		}
		if errno != unix.EINTR {
			return errno
		}
	}
}

// set adds and deletes what differs. A kevent whose trigger changes, or that is
// to look again, is deleted and added: adding it over itself need not report
// what is ready.
func (kq *kqueue) set(fd int, tag uint32, from, to interest) syscall.Errno {
	anew := from == to || from.level != to.level
	for filter, m := range [...]Mode{FilterRead: In, FilterWrite: Out} {
		had, want := from.on && from.mode&m != 0, to.on && to.mode&m != 0
		if had && (anew || !want) {
			kq.remove(fd, Filter(filter))
		}
		if !want || had && !anew {
			continue
		}
		flags := FlagAdd | FlagClear
		if to.level {
			flags = FlagAdd
		}
		if errno := kq.change(fd, tag, Filter(filter), flags); errno != 0 {
			kq.remove(fd, FilterRead)
			kq.remove(fd, FilterWrite)
			return errno
		}
	}
	return 0
}

// remove deletes a kevent. One that is gone, as with its descriptor, is as well.
func (kq *kqueue) remove(fd int, filter Filter) {
	_ = kq.change(fd, 0, filter, FlagDelete)
}

func (kq *kqueue) wait(seen []report, timeout time.Duration) (int, syscall.Errno) {
	errno := sys.Consult(sys.CallWait, -1)
	n := 0
	if errno == 0 {
		n, errno = kq.kernel.Kevent(nil, kq.evs[:min(len(seen), len(kq.evs))], timeout)
	}
	switch errno {
	case 0:
	case unix.EINTR:
		return 0, 0
	default:
		return 0, errno
	}
	k := 0
	for i := range kq.evs[:n] {
		ev := &kq.evs[i]
		if ev.Fd == kq.kernel.WakeFd() {
			kq.kernel.Drain()
			continue
		}
		seen[k] = ev.report()
		k++
	}
	return k, 0
}

// report says what an event means. EV_EOF of the reading filter is the end of
// what the peer sends: it says nothing about writing, and nothing about how
// much is left to read. EV_EOF of the writing filter, or with an error, is the
// end of both.
func (ev *Kevent) report() report {
	rep := report{fd: ev.Fd, tag: ev.Tag, mode: In}
	if ev.Filter == FilterWrite {
		rep.mode = Out
	}
	eof := ev.Flags&FlagEOF != 0
	rep.end = ev.Flags&FlagError != 0 || eof && (ev.Filter == FilterWrite || ev.Fflags != 0)
	rep.more = rep.end || eof
	return rep
}

func (kq *kqueue) wake() { kq.kernel.Poke() }

func (kq *kqueue) close() { kq.kernel.Close() }
