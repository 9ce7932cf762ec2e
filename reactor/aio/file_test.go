//go:build unix

package aio_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestFile(t *testing.T) {
	run(t, func(ctx context.Context) error {
		name := filepath.Join(t.TempDir(), "f")
		f, err := aio.Create(ctx, name)
		require.NoError(t, err)
		require.Equal(t, name, f.Name())
		n, err := f.Write([]byte("hello world"))
		require.NoError(t, err)
		require.Equal(t, 11, n)
		require.NoError(t, f.Sync())
		at, err := f.Seek(-5, io.SeekEnd)
		require.NoError(t, err)
		require.EqualValues(t, 6, at)
		buf := make([]byte, 16)
		n, err = f.Read(buf)
		require.NoError(t, err)
		require.Equal(t, "world", string(buf[:n]))
		_, err = f.Read(buf)
		require.Equal(t, io.EOF, err)
		n, err = f.Read(nil)
		require.NoError(t, err)
		require.Zero(t, n)

		n, err = f.ReadAt(buf[:5], 0)
		require.NoError(t, err)
		require.Equal(t, "hello", string(buf[:n]))
		n, err = f.ReadAt(buf, 6)
		require.Equal(t, io.EOF, err)
		require.Equal(t, "world", string(buf[:n]))
		_, err = f.ReadAt(buf, -1)
		require.Error(t, err)
		_, err = f.WriteAt([]byte("W"), 6)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(8))
		info, err := f.Stat()
		require.NoError(t, err)
		require.EqualValues(t, 8, info.Size())
		require.Equal(t, "f", info.Name())
		require.NoError(t, f.Close())

		f, err = aio.Open(ctx, name)
		require.NoError(t, err)
		all, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "hello Wo", string(all))
		_, err = f.Write(buf)
		require.ErrorIs(t, err, syscall.EBADF)
		require.NoError(t, f.Close())

		f, err = aio.OpenFile(ctx, name, os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		_, err = f.WriteAt(buf, 0)
		require.Error(t, err)
		_, err = f.Write([]byte("!"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "hello Wo!", string(got))
		return nil
	})
}

func TestFileErrors(t *testing.T) {
	run(t, func(ctx context.Context) error {
		dir := t.TempDir()
		_, err := aio.Open(ctx, filepath.Join(dir, "none"))
		require.ErrorIs(t, err, os.ErrNotExist)
		var path *os.PathError
		require.ErrorAs(t, err, &path)
		require.Equal(t, "open", path.Op)
		require.Equal(t, filepath.Join(dir, "none"), path.Path)

		d, err := aio.Open(ctx, dir)
		require.NoError(t, err)
		_, err = d.Read(make([]byte, 1))
		require.ErrorIs(t, err, syscall.EISDIR)
		require.NoError(t, d.Close())

		fifo := filepath.Join(dir, "fifo")
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		_, err = aio.Open(ctx, fifo)
		require.ErrorIs(t, err, syscall.EINVAL, "a pipe is no file, and is not waited for")
		_, err = aio.OpenFile(ctx, fifo, os.O_WRONLY, 0)
		require.Error(t, err)

		f, err := aio.Create(ctx, filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		for name, call := range map[string]func() error{
			"read":     func() error { _, err := f.Read(make([]byte, 1)); return err },
			"write":    func() error { _, err := f.Write(make([]byte, 1)); return err },
			"readat":   func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err },
			"writeat":  func() error { _, err := f.WriteAt(make([]byte, 1), 0); return err },
			"seek":     func() error { _, err := f.Seek(0, 0); return err },
			"sync":     f.Sync,
			"truncate": func() error { return f.Truncate(0) },
			"stat":     func() error { _, err := f.Stat(); return err },
			"close":    f.Close,
		} {
			require.ErrorIs(t, call(), os.ErrClosed, name)
			require.ErrorIs(t, call(), net.ErrClosed, name)
			require.ErrorAs(t, call(), &path, name)
		}
		return nil
	})
}

// Operations of several coroutines on one file are carried out whole, in order.
func TestFileOperationsAreInOrder(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, err := aio.Create(ctx, filepath.Join(t.TempDir(), "f"))
		require.NoError(t, err)
		var all []*scheduler.Coroutine
		for i := range 10 {
			all = append(all, scheduler.Go(ctx, func(context.Context) error {
				_, err := f.Write(bytes.Repeat([]byte{byte('0' + i)}, 1000))
				return err
			}))
		}
		for _, c := range all {
			require.NoError(t, c.Await(ctx))
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
		require.NoError(t, err)
		for i := range 10 {
			require.Equal(t, bytes.Repeat([]byte{byte('0' + i)}, 1000), got[1000*i:1000*(i+1)])
		}
		return f.Close()
	})
}

func TestFileFromOtherGoroutines(t *testing.T) {
	ctx := background(t)
	name := filepath.Join(t.TempDir(), "f")
	f, err := aio.Create(ctx, name)
	require.NoError(t, err)
	_, err = f.Write([]byte("hello"))
	require.NoError(t, err)
	buf := make([]byte, 5)
	_, err = f.ReadAt(buf, 0)
	require.NoError(t, err)
	require.Equal(t, "hello", string(buf))
	require.NoError(t, f.Close())
	require.ErrorIs(t, f.Close(), os.ErrClosed)
}

// A cancellation interrupts one operation; what had begun is done.
func TestFileIsInterruptedOnce(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallWrite { // off the loop
			once.Do(func() { close(begun) })
			<-goOn
		}
		return f
	}))
	run(t, func(ctx context.Context) error {
		f, err := aio.Create(ctx, filepath.Join(t.TempDir(), "f"))
		require.NoError(t, err)
		c := scheduler.Go(ctx, func(context.Context) error {
			_, err := f.Write([]byte("begun"))
			require.ErrorIs(t, err, context.Canceled)
			_, err = f.WriteAt([]byte("after"), 5)
			require.NoError(t, err)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		<-begun
		c.Cancel(nil)
		require.NoError(t, scheduler.Yield(ctx)) // it knows before the operation ends
		close(goOn)
		require.NoError(t, c.Await(ctx))
		got, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
		require.NoError(t, err)
		require.Equal(t, "begunafter", string(got))
		return f.Close()
	})
}
