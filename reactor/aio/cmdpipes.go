package aio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// connect gives std its standard files: an *os.File as it is, of anything else a
// pipe, with a task that copies.
func (c *Cmd) connect(ctx context.Context, std *exec.Cmd) error {
	if c.Stdin != nil {
		f, err := c.input(ctx)
		if err != nil {
			return err
		}
		std.Stdin = f
	}
	if c.Stdout != nil {
		f, err := c.output(ctx, c.Stdout)
		if err != nil {
			return err
		}
		std.Stdout = f
	}
	switch {
	case c.Stderr == nil:
	case same(c.Stdout, c.Stderr):
		std.Stderr = std.Stdout
	default:
		f, err := c.output(ctx, c.Stderr)
		if err != nil {
			return err
		}
		std.Stderr = f
	}
	return nil
}

// same reports whether the two are one writer.
func same(a, b io.Writer) bool {
	defer func() { _ = recover() }() // of a type that cannot be compared
	return a == b
}

func (c *Cmd) input(ctx context.Context) (*os.File, error) {
	if f, ok := c.Stdin.(*os.File); ok {
		return f, nil
	}
	childs, ours, err := c.pipe(ctx, false)
	if err != nil {
		return nil, err
	}
	c.tasks = append(c.tasks, func() error {
		_, err := copyPlain(ours, c.Stdin)
		if errors.Is(err, syscall.EPIPE) {
			err = nil // the child wants no more
		}
		if closeErr := ours.Close(); err == nil && !errors.Is(closeErr, os.ErrClosed) {
			err = closeErr
		}
		return err
	})
	return childs, nil
}

func (c *Cmd) output(ctx context.Context, w io.Writer) (*os.File, error) {
	if f, ok := w.(*os.File); ok {
		return f, nil
	}
	childs, ours, err := c.pipe(ctx, true)
	if err != nil {
		return nil, err
	}
	c.tasks = append(c.tasks, func() error {
		_, err := copyPlain(w, ours)
		_ = ours.Close() // Wait may have done it
		return err
	})
	return childs, nil
}

// pipe makes a pipe between the child and us; we read from it, or write to it.
func (c *Cmd) pipe(ctx context.Context, read bool) (childs *os.File, ours *Stream, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	childs, own := w, r
	if !read {
		childs, own = r, w
	}
	defer own.Close()
	if ours, err = newStream(ctx, own, onlyStreams); err != nil {
		_ = childs.Close()
		return nil, nil, err
	}
	c.childs = append(c.childs, childs)
	c.ours = append(c.ours, ours)
	return childs, ours, nil
}

// StdinPipe returns a pipe to the command's standard input. Wait closes it; to end
// the input before, close it.
func (c *Cmd) StdinPipe() (*Stream, error) {
	if c.Stdin != nil {
		return nil, errors.New("aio: StdinPipe of a command that has a Stdin")
	}
	childs, ours, err := c.openPipe("StdinPipe", false)
	if err == nil {
		c.Stdin = childs
	}
	return ours, err
}

// StdoutPipe returns a pipe from the command's standard output. Wait closes it, so
// everything must have been read before Wait is called.
func (c *Cmd) StdoutPipe() (*Stream, error) {
	if c.Stdout != nil {
		return nil, errors.New("aio: StdoutPipe of a command that has a Stdout")
	}
	childs, ours, err := c.openPipe("StdoutPipe", true)
	if err == nil {
		c.Stdout = childs
	}
	return ours, err
}

// StderrPipe is StdoutPipe for the standard error.
func (c *Cmd) StderrPipe() (*Stream, error) {
	if c.Stderr != nil {
		return nil, errors.New("aio: StderrPipe of a command that has a Stderr")
	}
	childs, ours, err := c.openPipe("StderrPipe", true)
	if err == nil {
		c.Stderr = childs
	}
	return ours, err
}

func (c *Cmd) openPipe(what string, read bool) (childs *os.File, ours *Stream, err error) {
	switch {
	case c.Process != nil:
		return nil, nil, fmt.Errorf("aio: %s after Start: %w", what, errCmdStarted)
	case c.ctx == nil:
		return nil, nil, errors.New("aio: a Cmd must be made by Command")
	}
	ours, err = open(c.ctx, func(ctx context.Context) (*Stream, error) {
		childs, ours, err = c.pipe(ctx, read)
		return ours, err
	})
	return childs, ours, err
}

// ends is a writer that keeps the first and the last n bytes of what is written.
type ends struct {
	n       int
	head    []byte
	tail    []byte
	dropped int64
}

// Write implements io.Writer.
func (e *ends) Write(b []byte) (int, error) {
	size := len(b)
	k := min(len(b), e.n-len(e.head))
	e.head, b = append(e.head, b[:k]...), b[k:]
	e.tail = append(e.tail, b...)
	if over := len(e.tail) - e.n; over > e.n {
		e.dropped += int64(over)
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return size, nil
}

// bytes is what was kept, with a note of what was not.
func (e *ends) bytes() []byte {
	tail := e.tail[max(0, len(e.tail)-e.n):]
	dropped := e.dropped + int64(len(e.tail)-len(tail))
	if dropped == 0 {
		return append(e.head, tail...)
	}
	return fmt.Appendf(e.head, "\n... omitting %d bytes ...\n%s", dropped, tail)
}
