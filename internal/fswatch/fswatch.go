// Package fswatch tells what changes in a file, in a directory, or in a tree of
// directories: by inotify, which names each change, or by a kqueue, which says
// only that a descriptor's file has changed, so that directories are compared with
// what they held before.
package fswatch

import (
	"errors"
	"syscall"
)

// Op is a set of changes.
type Op uint32

// The changes. A renamed path has a Create under its new name.
const (
	Create Op = 1 << iota
	Write
	Remove
	Rename
	Chmod
)

// Report is changes of one path, which begins with the watched one as it was given;
// or why there are none.
type Report struct {
	Path string
	Op   Op
	// Err matches ErrOverflow where changes were lost, and is os.ErrNotExist after
	// the watched path has gone, in the last report of all.
	Err error
}

// ErrOverflow says that changes were lost.
var ErrOverflow = errors.New("aio: changes were lost, more happened than the system keeps")

// Source is where changes come from. It is used by one goroutine at a time.
type Source interface {
	// Fd is readable when there is something to read.
	Fd() int
	// Read gives what has changed, nothing where nothing has. It does not wait for
	// changes, but looks at files.
	Read() ([]Report, error)
	// Close frees what the system keeps for it.
	Close() syscall.Errno
}
