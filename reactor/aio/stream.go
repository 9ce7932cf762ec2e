package aio

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Stream is a pipe or a terminal, or a socket that serves as one. Its methods are
// safe from any goroutine, as those of [Conn] are; so are its interruptions. Errors
// other than io.EOF are of type [*os.PathError].
type Stream struct {
	handle
	name string
}

var _ io.ReadWriteCloser = (*Stream)(nil)

// Pipe returns the two ends of a pipe: what is written to w is read from r. For its
// ctx see [Listen].
func Pipe(ctx context.Context) (r, w *Stream, err error) {
	ends, err := open(ctx, func(ctx context.Context) (ends [2]*Stream, err error) {
		rf, wf, err := os.Pipe()
		if err != nil {
			return ends, err
		}
		defer rf.Close()
		defer wf.Close()
		if ends[0], err = newStream(ctx, rf, onlyStreams); err != nil {
			return ends, err
		}
		if ends[1], err = newStream(ctx, wf, onlyStreams); err != nil {
			_ = ends[0].Close()
		}
		return ends, err
	})
	if err != nil {
		return nil, nil, pathError("pipe", "|", err)
	}
	return ends[0], ends[1], nil
}

// Stdin is the standard input. Closing it leaves the process's own open; while it
// is open, other readers of that may be told that there is nothing to read.
func Stdin(ctx context.Context) (*Stream, error) { return standard(ctx, os.Stdin) }

// Stdout is the standard output; what [Stdin] says holds for it, too.
func Stdout(ctx context.Context) (*Stream, error) { return standard(ctx, os.Stdout) }

// Stderr is the standard error; what [Stdin] says holds for it, too.
func Stderr(ctx context.Context) (*Stream, error) { return standard(ctx, os.Stderr) }

func standard(ctx context.Context, f *os.File) (*Stream, error) {
	s, err := open(ctx, func(ctx context.Context) (*Stream, error) { return newStream(ctx, f, anything) })
	return s, pathError("open", f.Name(), err)
}

// NewStream takes over f, which is a pipe, a terminal or a socket; of anything else
// it gives an error that matches EINVAL. Where it succeeds f is closed, and the
// stream is what is left of it. For its ctx see [Listen].
func NewStream(ctx context.Context, f *os.File) (*Stream, error) {
	if f == nil {
		return nil, os.ErrInvalid
	}
	s, err := open(ctx, func(ctx context.Context) (*Stream, error) {
		s, err := newStream(ctx, f, onlyStreams)
		if err == nil {
			_ = f.Close()
		}
		return s, err
	})
	return s, pathError("open", f.Name(), err)
}

// newStream makes a stream of what f is, and leaves f open.
func newStream(ctx context.Context, f *os.File, typeOf func(sys.Class) (reactor.Type, error)) (*Stream, error) {
	io, err := take(ctx, f, typeOf)
	if err != nil {
		return nil, err
	}
	s := &Stream{name: f.Name()}
	s.init(scheduler.Current(ctx).Scheduler(), io, "stream")
	return s, nil
}

// onlyStreams is the type of handle for a class of descriptor, if that is a stream.
func onlyStreams(c sys.Class) (reactor.Type, error) {
	if c == sys.ClassOther {
		return 0, syscall.EINVAL
	}
	return anything(c)
}

// anything is the type of handle for a class of descriptor.
func anything(c sys.Class) (reactor.Type, error) {
	switch c {
	case sys.ClassPipe:
		return reactor.Pipe, nil
	case sys.ClassTTY:
		return reactor.TTY, nil
	case sys.ClassStream:
		return reactor.TCP, nil
	case sys.ClassDatagram:
		return reactor.UDP, nil
	}
	return reactor.File, nil
}

// Name is the name of what the stream was made of.
func (s *Stream) Name() string { return s.name }

// Read reads at least one byte, unless b is empty; io.EOF is the end: every writer
// has closed. Interrupted, it has taken nothing.
func (s *Stream) Read(b []byte) (int, error) {
	a := call{kind: read, buf: b}
	err := s.in.do(&a)
	return a.n, s.fail("read", err)
}

// Write writes all of b, in one piece with regard to other Writes, and waits for
// room where there is none. Where no reader is left it fails with EPIPE; the SIGPIPE
// that a pipe raises then is nothing to a Go program that has not asked for it.
// Interrupted, it tells how many bytes the system had taken by then.
func (s *Stream) Write(b []byte) (int, error) {
	a := call{kind: write, buf: b}
	err := s.out.do(&a)
	return a.n, s.fail("write", err)
}

// Close closes the stream: whoever is in one of its methods, or calls one later,
// gets an error that matches os.ErrClosed; so does a second Close. It never waits.
func (s *Stream) Close() error { return s.fail("close", s.close()) }

// SetDeadline sets the moment, by the scheduler's clock, after which reading and
// writing fail with an error that matches os.ErrDeadlineExceeded; the zero time is
// none. What is a regular file has no deadlines.
func (s *Stream) SetDeadline(t time.Time) error {
	err := s.in.set(t)
	if outErr := s.out.set(t); err == nil {
		err = outErr
	}
	return s.fail("set deadline", err)
}

// SetReadDeadline is SetDeadline for reading alone.
func (s *Stream) SetReadDeadline(t time.Time) error { return s.fail("set deadline", s.in.set(t)) }

// SetWriteDeadline is SetDeadline for writing alone.
func (s *Stream) SetWriteDeadline(t time.Time) error { return s.fail("set deadline", s.out.set(t)) }

// SyscallConn gives raw access; see [Conn.SyscallConn].
func (s *Stream) SyscallConn() (syscall.RawConn, error) {
	if s.closed.Load() {
		return nil, s.fail("syscallconn", errClosed)
	}
	return &rawConn{&s.handle}, nil
}

// fail makes an os.PathError of err; io.EOF and nil stay.
func (s *Stream) fail(op string, err error) error {
	if err == io.EOF {
		return err
	}
	return pathError(op, s.name, err)
}
