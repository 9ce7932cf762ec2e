//go:build unix

package aio_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestPipe(t *testing.T) {
	run(t, func(ctx context.Context) error {
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		want := bytes.Repeat([]byte("0123456789"), 100_000) // more than fits
		writer := scheduler.Go(ctx, func(context.Context) error {
			n, err := w.Write(want)
			require.NoError(t, err)
			require.Equal(t, len(want), n)
			return w.Close()
		})
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		require.NoError(t, writer.Await(ctx))
		_, err = w.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrClosed)
		require.ErrorIs(t, err, net.ErrClosed)
		require.NoError(t, r.Close())
		require.ErrorIs(t, r.Close(), os.ErrClosed)
		return nil
	})
}

func TestPipeWithoutAReader(t *testing.T) {
	run(t, func(ctx context.Context) error {
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		_, err = w.Write([]byte("x"))
		require.ErrorIs(t, err, syscall.EPIPE)
		return w.Close()
	})
}

func TestPipeDeadlineAndClose(t *testing.T) {
	run(t, func(ctx context.Context) error {
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		defer w.Close()
		require.NoError(t, r.SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err = r.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, r.SetDeadline(time.Time{}))
		reader := scheduler.Go(ctx, func(context.Context) error {
			_, err := r.Read(make([]byte, 1))
			require.ErrorIs(t, err, os.ErrClosed)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, r.Close())
		return reader.Await(ctx)
	})
}

func TestNewStreamTakesOver(t *testing.T) {
	run(t, func(ctx context.Context) error {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		s, err := aio.NewStream(ctx, r)
		require.NoError(t, err)
		require.ErrorIs(t, r.Close(), os.ErrClosed)
		_, err = w.WriteString("hello")
		require.NoError(t, err)
		require.NoError(t, w.Close())
		got, err := io.ReadAll(s)
		require.NoError(t, err)
		require.Equal(t, "hello", string(got))
		return s.Close()
	})
}

func TestNewStreamOfASocket(t *testing.T) {
	run(t, func(ctx context.Context) error {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		require.NoError(t, err)
		a, err := aio.NewStream(ctx, os.NewFile(uintptr(fds[0]), "a"))
		require.NoError(t, err)
		b, err := aio.NewStream(ctx, os.NewFile(uintptr(fds[1]), "b"))
		require.NoError(t, err)
		_, err = a.Write([]byte("x"))
		require.NoError(t, err)
		_, err = b.Read(make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		_, err = b.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		return b.Close()
	})
}

// What is no stream is refused, and stays its owner's.
func TestNewStreamOfAFile(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, err := os.Create(filepath.Join(t.TempDir(), "f"))
		require.NoError(t, err)
		_, err = aio.NewStream(ctx, f)
		require.ErrorIs(t, err, syscall.EINVAL)
		_, err = aio.NewStream(ctx, nil)
		require.ErrorIs(t, err, os.ErrInvalid)
		require.NoError(t, f.Close())
		_, err = aio.NewStream(ctx, f)
		require.ErrorIs(t, err, os.ErrClosed)
		return nil
	})
}

// standardChild copies its standard input to its standard output, as streams.
func standardChild() int {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		in, err := aio.Stdin(ctx)
		if err != nil {
			return err
		}
		out, err := aio.Stdout(ctx)
		if err != nil {
			return err
		}
		if _, err := io.Copy(out, in); err != nil {
			return err
		}
		if err := in.Close(); err != nil {
			return err
		}
		return out.Close()
	})
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		return 1
	}
	_, _ = os.Stdout.WriteString("end") // the process's own is still open
	return 0
}

func init() { children["standard"] = standardChild }

// child is this test binary, as one of its children.
func child(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "AIO_TEST_CHILD="+name)
	return cmd
}

// The standard streams may be pipes or files.
func TestStandardStreams(t *testing.T) {
	t.Run("pipes", func(t *testing.T) {
		cmd := child("standard")
		cmd.Stdin = bytes.NewReader([]byte("hello "))
		out, err := cmd.Output()
		require.NoError(t, err)
		require.Equal(t, "hello end", string(out))
	})
	t.Run("files", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("hello "), 0o600))
		in, err := os.Open(filepath.Join(dir, "in"))
		require.NoError(t, err)
		defer in.Close()
		out, err := os.Create(filepath.Join(dir, "out"))
		require.NoError(t, err)
		defer out.Close()
		cmd := child("standard")
		cmd.Stdin, cmd.Stdout = in, out
		require.NoError(t, cmd.Run())
		got, err := os.ReadFile(out.Name())
		require.NoError(t, err)
		require.Equal(t, "hello end", string(got))
	})
	t.Run("null", func(t *testing.T) {
		require.NoError(t, child("standard").Run())
	})
}
