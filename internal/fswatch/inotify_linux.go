package fswatch

import (
	"encoding/binary"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// inotify is an inotify instance and what it watches.
type inotify struct {
	fd        int
	root      string
	recursive bool
	paths     map[int]string // by watch descriptor
	watches   map[string]int
	found     []Report
	buf       [16 << 10]byte
}

const (
	inDirectory = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE
	inAny       = inDirectory | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
)

// New begins to watch path, and what is below it where that is asked for.
func New(path string, recursive bool) (Source, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init", err)
	}
	f := &inotify{fd: fd, root: path, recursive: recursive, paths: map[int]string{}, watches: map[string]int{}}
	if err := f.add(path, 0); err != nil {
		_ = f.Close()
		return nil, err
	}
	if info, err := os.Stat(path); recursive && err == nil && info.IsDir() {
		f.descend(path, false)
	}
	return f, nil
}

// Fd implements [Source].
func (f *inotify) Fd() int { return f.fd }

// Close implements [Source].
func (f *inotify) Close() syscall.Errno { return sys.Close(f.fd) }

// add watches path. A directory that is watched already has come from elsewhere: it
// keeps its watch, which is for path from now on.
func (f *inotify) add(path string, flags uint32) error {
	wd, err := unix.InotifyAddWatch(f.fd, path, inAny|flags)
	if err != nil {
		return os.NewSyscallError("inotify_add_watch", err)
	}
	if old, moved := f.paths[wd]; moved && old != path {
		delete(f.watches, old) // which must not be given up when its leaving is told
	}
	f.paths[wd], f.watches[path] = path, wd
	return nil
}

// descend watches the directories below dir. Where something may have come before it
// was watched, all that is there is reported as created. What cannot be read any
// more has gone, which is reported by itself, or is not ours to see.
func (f *inotify) descend(dir string, report bool) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := below(dir, e.Name())
		if report {
			f.tell(path, Create)
		}
		if e.IsDir() && f.add(path, unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW) == nil {
			f.descend(path, report)
		}
	}
}

// Read implements [Source].
func (f *inotify) Read() ([]Report, error) {
	n, errno := sys.Read(f.fd, f.buf[:])
	switch errno {
	case 0:
	case unix.EAGAIN:
		return nil, nil
	default:
		return nil, os.NewSyscallError("read", errno)
	}
	f.found = nil
	for b := f.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
		wd := int(int32(binary.NativeEndian.Uint32(b)))
		mask := binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		name, _, _ := strings.Cut(string(b[unix.SizeofInotifyEvent:end]), "\x00")
		b = b[end:]
		f.note(wd, mask, name)
	}
	return f.found, nil
}

// note takes down one event.
func (f *inotify) note(wd int, mask uint32, name string) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		f.found = append(f.found, Report{Err: ErrOverflow})
		if f.recursive {
			f.descend(f.root, false) // directories may have come unseen
		}
		return
	}
	dir, known := f.paths[wd]
	if !known {
		return // of a watch that was given up
	}
	if mask&unix.IN_IGNORED != 0 {
		f.ended(wd, dir)
		return
	}
	path := dir
	if name != "" {
		path = below(dir, name)
	} else if mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0 && dir != f.root {
		return // its parent tells
	}
	if op := operation(mask); op != 0 {
		f.tell(path, op)
	}
	if mask&unix.IN_MOVE_SELF != 0 {
		f.ended(wd, dir)
		return
	}
	if !f.recursive || mask&unix.IN_ISDIR == 0 || name == "" {
		return
	}
	switch {
	case mask&unix.IN_MOVED_FROM != 0:
		f.forget(path)
	case mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		if f.add(path, unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW) == nil {
			f.descend(path, true)
		}
	}
}

func (f *inotify) tell(path string, op Op) {
	f.found = append(f.found, Report{Path: path, Op: op})
}

// ended notes that path is not watched any more.
func (f *inotify) ended(wd int, path string) {
	delete(f.paths, wd)
	delete(f.watches, path)
	if path == f.root {
		f.found = append(f.found, Report{Err: os.ErrNotExist})
	}
}

// forget gives up what is watched at path and below it.
func (f *inotify) forget(path string) {
	prefix := below(path, "")
	for p, wd := range f.watches {
		if p == path || strings.HasPrefix(p, prefix) {
			_, _ = unix.InotifyRmWatch(f.fd, uint32(wd)) // or it has gone by itself
			delete(f.watches, p)
			delete(f.paths, wd)
		}
	}
}

func operation(mask uint32) (op Op) {
	for _, m := range [...]struct {
		mask uint32
		op   Op
	}{
		{unix.IN_CREATE | unix.IN_MOVED_TO, Create},
		{unix.IN_MODIFY, Write},
		{unix.IN_DELETE | unix.IN_DELETE_SELF, Remove},
		{unix.IN_MOVED_FROM | unix.IN_MOVE_SELF, Rename},
		{unix.IN_ATTRIB, Chmod},
	} {
		if mask&m.mask != 0 {
			op |= m.op
		}
	}
	return op
}
