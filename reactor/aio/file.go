package aio

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// File is a regular file, whose operations run off the loop, one after the other.
// Errors other than io.EOF are of type [*os.PathError].
//
// Its methods are safe from any goroutine: they suspend a coroutine of the file's
// loop and block any other goroutine; in a callback of the loop they fail with
// [scheduler.ErrNotCoroutine]. A cancellation of the coroutine interrupts one of its
// calls, the one under way or the next. An operation that the system has begun
// comes to its end all the same, and the interrupted call returns after it, with
// what was done.
type File struct {
	handle
	name   string
	append bool
}

var (
	_ io.ReadWriteSeeker = (*File)(nil)
	_ io.ReaderAt        = (*File)(nil)
	_ io.WriterAt        = (*File)(nil)
	_ io.Closer          = (*File)(nil)
)

// Open opens a file for reading; see [OpenFile].
func Open(ctx context.Context, name string) (*File, error) {
	return OpenFile(ctx, name, os.O_RDONLY, 0)
}

// Create creates a file, or truncates it, for reading and writing; see [OpenFile].
func Create(ctx context.Context, name string) (*File, error) {
	return OpenFile(ctx, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile opens a file as os.OpenFile does; for its ctx see [Listen]. What is no
// file but a pipe, a terminal or a socket gives an error that matches EINVAL: that
// is what [NewStream] and [Dial] are for. The file closes with its loop.
func OpenFile(ctx context.Context, name string, flag int, perm os.FileMode) (*File, error) {
	f, err := open(ctx, func(ctx context.Context) (*File, error) {
		// Where name is a pipe this must not wait for its other end.
		std, err := background(ctx, func(context.Context) (*os.File, error) {
			return os.OpenFile(name, flag|nonblock, perm)
		}, func(f *os.File) { f.Close() })
		if err != nil {
			return nil, err
		}
		defer std.Close()
		io, err := take(ctx, std, func(sys.Class) (reactor.Type, error) { return reactor.File, nil })
		if err != nil {
			return nil, err
		}
		f := &File{name: name, append: flag&os.O_APPEND != 0}
		f.init(scheduler.Current(ctx).Scheduler(), io, "file")
		return f, nil
	})
	return f, pathError("open", name, err)
}

// take makes a handle of the file behind f, which remains the caller's to close.
func take(ctx context.Context, f *os.File, typeOf func(sys.Class) (reactor.Type, error)) (io *reactor.IO, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	var errno syscall.Errno
	if raw.Control(func(own uintptr) { fd, errno = sys.Duplicate(int(own)) }) != nil {
		return nil, errClosed
	}
	if errno != 0 {
		return nil, os.NewSyscallError("dup", errno)
	}
	facts, err := sys.Inspect(fd)
	var typ reactor.Type
	if err == nil {
		typ, err = typeOf(facts.Class)
	}
	if err == nil {
		if typ == reactor.File {
			sys.SetBlocking(fd)
		}
		io, err = scheduler.Current(ctx).Scheduler().Reactor().NewIO(fd, typ)
	}
	if err != nil {
		_ = sys.Close(fd)
		return nil, err
	}
	return io, nil
}

// Name is the name that the file was opened with.
func (f *File) Name() string { return f.name }

// Read reads up to len(b) bytes from where the last operation left off, at least
// one unless b is empty; io.EOF is the end.
func (f *File) Read(b []byte) (int, error) {
	a := call{kind: read, buf: b}
	err := f.in.do(&a)
	return a.n, f.fail("read", err)
}

// Write writes all of b where the last operation left off, or, opened with
// os.O_APPEND, at the end.
func (f *File) Write(b []byte) (int, error) {
	a := call{kind: write, buf: b}
	err := f.in.do(&a)
	return a.n, f.fail("write", err)
}

// ReadAt reads len(b) bytes from off on; fewer come with an error, at the end io.EOF.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	switch {
	case f.closed.Load():
		return 0, f.fail("read", errClosed)
	case off < 0:
		return 0, f.fail("readat", errors.New("negative offset"))
	}
	n, err := f.call(func(fd int) (n int, err error) {
		for n < len(b) {
			m, errno := sys.ReadAt(fd, b[n:], off+int64(n))
			switch {
			case errno != 0:
				return n, errno
			case m == 0:
				return n, io.EOF
			}
			n += m
		}
		return n, nil
	})
	return n, f.fail("read", err)
}

// WriteAt writes all of b from off on. On a file opened with os.O_APPEND it fails.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	switch {
	case f.closed.Load():
		return 0, f.fail("write", errClosed)
	case off < 0:
		return 0, f.fail("writeat", errors.New("negative offset"))
	case f.append:
		return 0, f.fail("writeat", errors.New("the file was opened to append"))
	}
	n, err := f.call(func(fd int) (n int, err error) {
		for n < len(b) {
			m, errno := sys.WriteAt(fd, b[n:], off+int64(n))
			switch {
			case errno != 0:
				return n, errno
			case m == 0:
				return n, io.ErrUnexpectedEOF
			}
			n += m
		}
		return n, nil
	})
	return n, f.fail("write", err)
}

// Seek sets where the next Read or Write begins, as io.Seeker says, and returns it.
func (f *File) Seek(off int64, whence int) (at int64, err error) {
	_, err = f.call(func(fd int) (int, error) {
		var errno syscall.Errno
		if at, errno = sys.Seek(fd, off, whence); errno != 0 {
			return 0, errno
		}
		return 0, nil
	})
	return at, f.fail("seek", err)
}

// Sync has the system bring what was written to the disk.
func (f *File) Sync() error {
	_, err := f.call(func(fd int) (int, error) { return 0, asError(sys.Sync(fd)) })
	return f.fail("sync", err)
}

// Truncate changes the file's size.
func (f *File) Truncate(size int64) error {
	_, err := f.call(func(fd int) (int, error) { return 0, asError(sys.Truncate(fd, size)) })
	return f.fail("truncate", err)
}

// Stat describes the file.
func (f *File) Stat() (info os.FileInfo, err error) {
	_, err = f.call(func(fd int) (int, error) {
		dup, errno := sys.Duplicate(fd)
		if errno != 0 {
			return 0, errno
		}
		std := os.NewFile(uintptr(dup), f.name)
		defer std.Close()
		var err error
		info, err = std.Stat()
		return 0, err
	})
	if err != nil {
		return nil, f.fail("stat", err)
	}
	return info, nil
}

// Close closes the file, after the operation that is under way; those that wait,
// and later ones, get an error that matches os.ErrClosed, as does a second Close. It
// never waits, so it does not tell whether what was written has come to the disk:
// Sync does.
func (f *File) Close() error { return f.fail("close", f.close()) }

// call carries out fn off the loop.
func (f *File) call(fn func(fd int) (int, error)) (int, error) {
	a := call{kind: file, do: fn}
	err := f.in.do(&a)
	return a.n, err
}

// fail makes an os.PathError of err; io.EOF and nil stay.
func (f *File) fail(op string, err error) error {
	if err == io.EOF {
		return err
	}
	return pathError(op, f.name, err)
}

// asError is errno as an error, nil for none.
func asError(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}
