package kqfake

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// OpenQueue returns a kqueue for FilterProc, whose events it keeps and only becomes
// readable by, and for FilterVnode. For that it gives the notes of real files and
// directories: inotify tells it which descriptor's file to look at, and it forgets
// all that the manual pages do not promise, as names, order and how often. Notes
// gather until they are retrieved; a file that was removed keeps its knote until its
// descriptor is closed; one that was cut is only said to have changed its attributes.
func OpenQueue() (poll.Queue, error) {
	q := &queue{epoll: -1, inotify: -1, event: -1, knotes: map[int]*vnote{}, watched: map[int][]*vnote{}}
	var err error
	if q.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err == nil {
		q.inotify, err = unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	}
	if err == nil {
		q.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	for _, fd := range []int{q.inotify, q.event} {
		if err == nil {
			err = unix.EpollCtl(q.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN})
		}
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// queue is such a kqueue. Its epoll is readable while the inotify has something to
// tell or the event is set, which it is while there are notes left.
type queue struct {
	epoll, inotify, event int
	knotes                map[int]*vnote   // by descriptor
	watched               map[int][]*vnote // by inotify's watch
	active                []*vnote         // with notes, the oldest first
	children              []int            // pidfds
}

// vnote is the knote of a descriptor.
type vnote struct {
	fd     int
	inode  uint64
	links  uint64
	size   int64
	dir    bool
	clear  bool
	want   uint32
	notes  uint32
	parent int // the watch that tells of the removal of a directory
}

// Fd implements poll.Queue.
func (q *queue) Fd() int { return q.epoll }

// Close implements poll.Queue.
func (q *queue) Close() {
	for _, fd := range append(q.children, q.epoll, q.inotify, q.event) {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// Kevent implements poll.Queue. It never waits.
func (q *queue) Kevent(change *poll.Kevent, events []poll.Kevent, _ time.Duration) (int, syscall.Errno) {
	if change != nil {
		if errno := q.change(change); errno != 0 {
			return 0, errno
		}
	}
	if len(events) == 0 {
		return 0, 0
	}
	if errno := q.gather(); errno != 0 {
		return 0, errno
	}
	n := 0
	var left []*vnote
	for _, v := range q.active {
		if q.knotes[v.fd] != v || !v.open() {
			q.drop(v) // it went with its descriptor
			continue
		}
		if n == len(events) {
			left = append(left, v)
			continue
		}
		events[n] = poll.Kevent{Fd: v.fd, Filter: poll.FilterVnode, Fflags: v.notes}
		n++
		if v.clear {
			v.notes = 0
		} else {
			left = append(left, v)
		}
	}
	q.active = left
	return n, q.signal()
}

// signal makes the queue readable while notes are left.
func (q *queue) signal() syscall.Errno {
	var b [8]byte
	_, _ = unix.Read(q.event, b[:])
	if len(q.active) > 0 {
		b[0] = 1
		if _, err := unix.Write(q.event, b[:]); err != nil {
			return err.(syscall.Errno)
		}
	}
	return 0
}

func (q *queue) change(c *poll.Kevent) syscall.Errno {
	switch c.Filter {
	case poll.FilterVnode:
	case poll.FilterProc:
		return q.addChild(c.Fd)
	default:
		return unix.EINVAL
	}
	if old := q.knotes[c.Fd]; old != nil {
		q.drop(old)
	} else if c.Flags&poll.FlagDelete != 0 {
		return unix.ENOENT
	}
	if c.Flags&poll.FlagAdd == 0 {
		return 0
	}
	v := &vnote{fd: c.Fd, want: c.Fflags, clear: c.Flags&poll.FlagClear != 0, parent: -1}
	if !v.look() {
		return unix.EBADF
	}
	mask := uint32(unix.IN_ATTRIB | unix.IN_MOVE_SELF | unix.IN_UNMOUNT)
	if v.dir {
		mask |= unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVE
	} else {
		mask |= unix.IN_MODIFY
	}
	wd, errno := q.watch(v.fd, "", mask)
	if errno != 0 {
		return errno
	}
	q.knotes[v.fd] = v
	q.watched[wd] = append(q.watched[wd], v)
	return q.watchParent(v)
}

// addChild has the queue become readable with the end of a child. One that has ended,
// and was not reaped, is gone already, as macOS has it.
func (q *queue) addChild(pid int) syscall.Errno {
	if ended, errno := sys.Exited(pid); ended || errno != 0 {
		return unix.ESRCH
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err == nil {
		q.children = append(q.children, fd)
		err = unix.EpollCtl(q.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN})
	}
	if err != nil {
		return err.(syscall.Errno)
	}
	return 0
}

// watchParent has the removal of a directory told, which inotify keeps to itself
// while the directory is open.
func (q *queue) watchParent(v *vnote) (errno syscall.Errno) {
	if v.dir {
		v.parent, errno = q.watch(v.fd, "/..", unix.IN_DELETE)
		if errno == unix.ENOENT { // it has gone already
			return 0
		}
	}
	return errno
}

// watch has inotify watch what a descriptor is one of. It gives one watch for one inode.
func (q *queue) watch(fd int, below string, mask uint32) (int, syscall.Errno) {
	wd, err := unix.InotifyAddWatch(q.inotify, "/proc/self/fd/"+strconv.Itoa(fd)+below, mask|unix.IN_MASK_ADD)
	if err != nil {
		return -1, err.(syscall.Errno)
	}
	return wd, 0
}

// drop forgets a knote. What inotify goes on telling about it is passed over.
func (q *queue) drop(v *vnote) {
	if q.knotes[v.fd] == v {
		delete(q.knotes, v.fd)
	}
	for wd, all := range q.watched {
		for i, w := range all {
			if w == v {
				q.watched[wd] = append(all[:i:i], all[i+1:]...)
				break
			}
		}
	}
}

// gather takes down what has happened.
func (q *queue) gather() syscall.Errno {
	var buf [64 << 10]byte
	for {
		n, err := unix.Read(q.inotify, buf[:])
		switch err {
		case nil:
		case unix.EINTR:
			continue
		case unix.EAGAIN:
			return 0
		default:
			return err.(syscall.Errno)
		}
		for b := buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
			wd := int(int32(binary.NativeEndian.Uint32(b)))
			mask := binary.NativeEndian.Uint32(b[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
			named := len(bytes.TrimRight(b[unix.SizeofInotifyEvent:end], "\x00")) > 0
			b = b[end:]
			q.take(wd, mask, named)
		}
	}
}

func (q *queue) take(wd int, mask uint32, named bool) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		for _, v := range q.knotes { // a kqueue loses nothing
			q.activate(v, poll.NoteWrite)
		}
	}
	if mask&(unix.IN_DELETE|unix.IN_ISDIR) == unix.IN_DELETE|unix.IN_ISDIR {
		for _, v := range q.knotes {
			if v.parent == wd && v.open() {
				q.activate(v, v.relinked())
			}
		}
	}
	for _, v := range append([]*vnote(nil), q.watched[wd]...) {
		switch {
		case !v.open():
			q.drop(v)
		case named && v.dir:
			q.activate(v, entryNotes(mask))
		case !named:
			q.activate(v, v.selfNotes(mask))
			if mask&unix.IN_MOVE_SELF != 0 {
				_ = q.watchParent(v)
			}
		}
	}
}

// entryNotes are what a directory is noted for when an entry of its changes.
func entryNotes(mask uint32) (notes uint32) {
	switch {
	case mask&unix.IN_MOVE != 0:
		notes = poll.NoteWrite | poll.NoteExtend
	case mask&(unix.IN_CREATE|unix.IN_DELETE) != 0:
		notes = poll.NoteWrite
	default:
		return 0 // the entry's attributes, not the directory's
	}
	if mask&unix.IN_ISDIR != 0 {
		notes |= poll.NoteLink
	}
	return notes
}

// selfNotes are what a file or directory is noted for itself.
func (v *vnote) selfNotes(mask uint32) (notes uint32) {
	size := v.size
	notes = v.relinked()
	if mask&unix.IN_MODIFY != 0 {
		switch {
		case v.size < size:
			notes |= poll.NoteAttrib
		case v.size > size:
			notes |= poll.NoteWrite | poll.NoteExtend
		default:
			notes |= poll.NoteWrite
		}
	}
	if mask&unix.IN_ATTRIB != 0 && notes&poll.NoteLink == 0 {
		notes |= poll.NoteAttrib
	}
	if mask&unix.IN_MOVE_SELF != 0 {
		notes |= poll.NoteRename
	}
	if mask&unix.IN_UNMOUNT != 0 {
		notes |= poll.NoteRevoke
	}
	return notes
}

// relinked looks again, and says what has become of the names.
func (v *vnote) relinked() uint32 {
	links := v.links
	if v.look(); v.links == links || v.dir && v.links > 0 {
		return 0
	}
	if v.links < links {
		return poll.NoteDelete | poll.NoteLink
	}
	return poll.NoteLink
}

func (q *queue) activate(v *vnote, notes uint32) {
	if notes &= v.want; notes == 0 {
		return
	}
	if v.notes == 0 {
		q.active = append(q.active, v)
	}
	v.notes |= notes
}

// look sees what the descriptor is one of.
func (v *vnote) look() bool {
	var st unix.Stat_t
	if unix.Fstat(v.fd, &st) != nil {
		return false
	}
	v.inode, v.links, v.size, v.dir = st.Ino, uint64(st.Nlink), st.Size, st.Mode&unix.S_IFMT == unix.S_IFDIR
	return true
}

// open reports whether the descriptor is still what it was.
func (v *vnote) open() bool {
	inode, errno := inodeOf(v.fd)
	return errno == 0 && inode == v.inode
}
