//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sys

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ID tells a file or directory from all others that exist. It is nobody else's for
// as long as a descriptor of it is open, whatever becomes of its names.
type ID struct{ Dev, Ino uint64 }

// Vnode is what there is behind a name or a descriptor.
type Vnode struct {
	ID
	Links uint64
	Size  int64
	Dir   bool
	File  bool // a regular file
}

func vnode(st *unix.Stat_t) Vnode {
	kind := st.Mode & unix.S_IFMT
	return Vnode{
		ID:    ID{uint64(st.Dev), uint64(st.Ino)},
		Links: uint64(st.Nlink),
		Size:  st.Size,
		Dir:   kind == unix.S_IFDIR,
		File:  kind == unix.S_IFREG,
	}
}

// VnodeOf is what a descriptor is one of.
func VnodeOf(fd int) (Vnode, syscall.Errno) {
	var st unix.Stat_t
	e := uninterrupted(func() error { return unix.Fstat(fd, &st) })
	return vnode(&st), e
}

// VnodeAt is what is at path, itself or what it links to.
func VnodeAt(path string, follow bool) (Vnode, syscall.Errno) {
	var st unix.Stat_t
	stat := unix.Lstat
	if follow {
		stat = unix.Stat
	}
	e := uninterrupted(func() error { return stat(path, &st) })
	return vnode(&st), e
}

// OpenVnode returns a descriptor through which changes of path, or of what it
// links to, are watched. What has come in place of a file blocks nothing.
func OpenVnode(path string, follow bool) (int, syscall.Errno) {
	if _, e := consult(CallOpen, -1, 0); e != 0 {
		return -1, e
	}
	flags := openVnode | unix.O_NONBLOCK | unix.O_CLOEXEC
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	fd := -1
	e := uninterrupted(func() (err error) {
		fd, err = unix.Open(path, flags, 0)
		return err
	})
	return fd, e
}

// ReadDir lists the directory path, and says which one it is. What cannot be looked
// at has an empty Vnode.
func ReadDir(path string, follow bool) (Vnode, map[string]Vnode, error) {
	if _, e := consult(CallOpen, -1, 0); e != 0 {
		return Vnode{}, nil, e
	}
	flags := os.O_RDONLY | unix.O_DIRECTORY
	if !follow {
		flags |= unix.O_NOFOLLOW
	}
	dir, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return Vnode{}, nil, err
	}
	defer dir.Close()
	fd := int(dir.Fd())
	self, e := VnodeOf(fd)
	if e != 0 {
		return Vnode{}, nil, e
	}
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return Vnode{}, nil, err
	}
	entries := make(map[string]Vnode, len(names))
	for _, name := range names {
		var st unix.Stat_t
		switch uninterrupted(func() error { return unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) }) {
		case 0:
			entries[name] = vnode(&st)
		case unix.ENOENT:
		default:
			entries[name] = Vnode{}
		}
	}
	return self, entries, nil
}
