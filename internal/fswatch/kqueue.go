//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fswatch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// kqueue is a tree whose files and directories a kqueue watches. Each takes a
// descriptor, which says whose data, attributes or names have changed, and neither
// which names nor in what order. So the notes only say where to look: at the
// entries of a directory, which are compared with those it had (compare.go), and
// at files. Who is who is told by inode, and a file keeps its inode to itself for
// as long as its descriptor is open.
type kqueue struct {
	tree
	queue poll.Queue
	evs   []poll.Kevent
	open  map[int]*node // by descriptor
	found []Report

	touched []*node            // that have notes
	dirty   []*node            // directories to be looked at
	later   []*node            // and those of them that could not be
	short   map[*node]struct{} // what no descriptor was left for
	told    bool               // that there are such
	cause   error              // why no descriptor was left
	starts  bool               // what there is was there before
	gone    bool               // the root

	compared
}

// NewKqueue begins to watch path, and what is below it where that is asked for, by
// queue, which it owns, also where it fails. What can be neither read nor written
// like a file, as a FIFO or a symbolic link, and what may not be read, is known by
// name only. Where the process has not enough descriptors it fails; where they run
// out later, changes are lost.
func NewKqueue(queue poll.Queue, path string, recursive bool) (Source, error) {
	k := &kqueue{
		tree:  newTree(path, recursive),
		queue: queue,
		evs:   make([]poll.Kevent, 128),
		open:  make(map[int]*node),
		short: make(map[*node]struct{}),
	}
	if err := k.start(path); err != nil {
		_ = k.Close()
		return nil, err
	}
	return k, nil
}

func (k *kqueue) start(path string) error {
	v, errno := sys.VnodeAt(path, true)
	switch {
	case errno != 0:
		return os.NewSyscallError("stat", errno)
	case !v.Dir && !v.File:
		return syscall.ENOTSUP
	}
	k.root.Vnode = v
	k.starts = true
	if err := k.watch(k.root); err != nil {
		return err
	}
	k.compare()
	k.starts = false
	return k.cause
}

// Fd implements [Source].
func (k *kqueue) Fd() int { return k.queue.Fd() }

// Close implements [Source].
func (k *kqueue) Close() syscall.Errno {
	for fd := range k.open {
		_ = sys.Close(fd)
	}
	k.open = nil
	k.queue.Close()
	return 0
}

// Read implements [Source].
func (k *kqueue) Read() ([]Report, error) {
	k.found = nil
	if k.gone {
		return nil, nil
	}
	if errno := k.retrieve(); errno != 0 {
		return nil, os.NewSyscallError("kevent", errno)
	}
	if k.rootGone() {
		k.departed(k.root, k.root.name)
		k.forget(k.root)
		k.found = append(k.found, Report{Err: os.ErrNotExist})
		k.gone = true
		return k.found, nil
	}
	k.retry()
	k.compare()
	k.tell()
	k.tellNotes()
	k.tellLoss()
	return k.found, nil
}

// retrieve takes down the notes that there are. That is done before anything is
// looked at: what changes after that is noted again.
func (k *kqueue) retrieve() syscall.Errno {
	for left := len(k.open)/len(k.evs) + 1; left > 0; left-- {
		n, errno := k.kevent(sys.CallWait, k.queue.Fd(), nil, k.evs)
		if errno != 0 {
			return errno
		}
		for i := range k.evs[:n] {
			if node := k.open[k.evs[i].Fd]; node != nil {
				k.note(node, k.evs[i].Fflags)
			}
		}
		if n < len(k.evs) {
			break
		}
	}
	return 0
}

// kevent is queue's, made again where a signal has interrupted it.
func (k *kqueue) kevent(call sys.Call, fd int, change *poll.Kevent, events []poll.Kevent) (n int, errno syscall.Errno) {
	for {
		if errno = sys.Consult(call, fd); errno == 0 {
			n, errno = k.queue.Kevent(change, events, 0)
		}
		if errno != unix.EINTR {
			return n, errno
		}
	}
}

const (
	noteContent = poll.NoteWrite | poll.NoteExtend
	noteName    = poll.NoteDelete | poll.NoteRename | poll.NoteRevoke
)

// note adds to a node's notes.
func (k *kqueue) note(n *node, notes uint32) {
	if n.notes == 0 {
		k.touched = append(k.touched, n)
	}
	n.notes |= notes
	if notes&(noteContent|poll.NoteLink) != 0 {
		k.soil(n)
	}
	if notes&noteName != 0 && n.in != nil {
		k.soil(n.in) // it has a note of its own, perhaps not yet
	}
}

// soil has a directory looked at.
func (k *kqueue) soil(n *node) {
	if n.entries != nil && !n.dirty {
		n.dirty = true
		k.dirty = append(k.dirty, n)
	}
}

// rootGone reports whether the watched path is not there any more, or names something
// else. What was done in it just before is then told no more, since no path leads there.
func (k *kqueue) rootGone() bool {
	if k.root.notes&noteName == 0 {
		return false
	}
	at, errno := sys.VnodeAt(k.root.name, true)
	return errno != 0 || at.ID != k.root.ID || k.root.notes&poll.NoteRevoke != 0 // else another of its names went
}

// watch has the kernel note changes of n. Only want of descriptors is an error for
// what is not the root: what cannot be opened has gone again, which its directory
// tells, or is not ours to see.
func (k *kqueue) watch(n *node) error {
	if !n.Dir && !n.File {
		return nil
	}
	isRoot := n.in == nil
	fd, v, errno := k.openNode(n)
	switch {
	case errno == 0:
	case isRoot || scarce(errno):
		return os.NewSyscallError("open", errno)
	case errno == unix.ESTALE:
		k.postpone(n.in)
		return nil
	default:
		return nil
	}
	n.fd = fd
	k.open[fd] = n
	if n.File && n.Size != v.Size {
		k.note(n, poll.NoteWrite)
	}
	if n.Dir && (isRoot || k.recursive) {
		n.entries = make(map[string]*node)
		k.soil(n)
	}
	return nil
}

// openNode opens n, and registers it. ESTALE says that there is something else now.
func (k *kqueue) openNode(n *node) (int, sys.Vnode, syscall.Errno) {
	fd, errno := sys.OpenVnode(k.path(n), n.in == nil)
	if errno != 0 {
		return -1, sys.Vnode{}, errno
	}
	v, errno := sys.VnodeOf(fd)
	if errno == 0 && v.ID != n.ID {
		errno = unix.ESTALE
	}
	if errno == 0 {
		errno = k.register(fd)
	}
	if errno != 0 {
		_ = sys.Close(fd)
	}
	return fd, v, errno
}

func (k *kqueue) register(fd int) syscall.Errno {
	add := poll.Kevent{Fd: fd, Filter: poll.FilterVnode, Flags: poll.FlagAdd | poll.FlagClear, Fflags: poll.NoteAny}
	_, errno := k.kevent(sys.CallRegister, fd, &add, nil)
	return errno
}

// scarce reports whether errno says that the system, or the process, has no more of
// what was asked for.
func scarce(errno syscall.Errno) bool {
	return errno == unix.EMFILE || errno == unix.ENFILE || errno == unix.ENOMEM || errno == unix.ENOSPC
}

// lack notes that n could not be watched.
func (k *kqueue) lack(n *node, err error) {
	k.short[n] = struct{}{}
	k.cause = err
}

// retry watches, as far as it goes, what could not be.
func (k *kqueue) retry() {
	k.cause = nil
	for n := range k.short {
		if k.cause != nil {
			return
		}
		delete(k.short, n)
		if n.fd >= 0 { // it was its entries that could not be read
			k.soil(n)
		} else {
			k.admit(n)
		}
	}
}

// tellLoss tells once that there is something that cannot be watched.
func (k *kqueue) tellLoss() {
	lacking := len(k.short) > 0
	if lacking && !k.told {
		k.found = append(k.found, Report{Err: lossError{k.cause}})
	}
	k.told = lacking
}

// lossError is an ErrOverflow that has a cause.
type lossError struct{ cause error }

func (e lossError) Error() string { return ErrOverflow.Error() + ": " + e.cause.Error() }

func (e lossError) Unwrap() []error { return []error{ErrOverflow, e.cause} }

func (k *kqueue) report(path string, op Op) { k.found = append(k.found, Report{Path: path, Op: op}) }

// tellNotes tells what has happened to the files and directories that are there.
func (k *kqueue) tellNotes() {
	for _, n := range k.touched {
		if op := k.changed(n); op != 0 && n.reachable() {
			k.report(k.path(n), op)
		}
		n.notes = 0
	}
	k.touched = k.touched[:0]
}

// changed is what a node's notes say of it, wherever it may be.
func (k *kqueue) changed(n *node) (op Op) {
	switch {
	case n.dead:
		return 0
	case n.Dir:
		if n.notes&poll.NoteAttrib != 0 {
			return Chmod
		}
		return 0
	}
	if n.notes&noteContent != 0 {
		op |= Write
	}
	if n.notes&(poll.NoteAttrib|poll.NoteLink|poll.NoteDelete) != 0 {
		op |= Chmod // the count of its names is an attribute as well
	}
	if v, errno := sys.VnodeOf(n.fd); errno == 0 {
		if v.Size != n.Size {
			op |= Write // not every system notes that a file was cut
		}
		n.Vnode = v
	}
	return op
}
