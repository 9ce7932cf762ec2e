package aio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// document is a file of so many bytes, and what is in it.
func document(t testing.TB, ctx context.Context, size int) (*aio.File, []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "document")
	content := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	require.NoError(t, os.WriteFile(name, content, 0o600))
	f, err := aio.Open(ctx, name)
	require.NoError(t, err)
	return f, content
}

// A file goes to a connection without being read by the program.
func TestConnSendsAFile(t *testing.T) {
	reads := new(atomic.Int64)
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		f, want := document(t, ctx, 8<<20)
		peer := descriptor(t, b)
		defer sys.Inject(func(c sys.Call, fd int) (fault sys.Fault) {
			if c == sys.CallRead && fd != peer {
				reads.Add(1)
			}
			return fault
		})()
		sender := scheduler.Go(ctx, func(context.Context) error {
			n, err := io.CopyN(a, f, 5)
			require.NoError(t, err)
			require.EqualValues(t, 5, n)
			n, err = io.Copy(a, f) // from where it is
			require.NoError(t, err)
			require.EqualValues(t, len(want)-5, n)
			n, err = io.Copy(a, f)
			require.NoError(t, err)
			require.Zero(t, n)
			return a.Close()
		})
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		require.NoError(t, sender.Await(ctx))
		return errors.Join(f.Close(), b.Close())
	})
	require.Zero(t, reads.Load())
}

// Writes of others, on the loop and off it, come before the file or after it.
func TestConnSendsAFileInOnePiece(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		f, want := document(t, ctx, 4<<20)
		before, after := bytes.Repeat([]byte("<"), 4<<20), bytes.Repeat([]byte(">"), 1<<20)
		write := func(p []byte) func(context.Context) error {
			return func(context.Context) error {
				_, err := a.Write(p)
				return err
			}
		}
		all := []*scheduler.Coroutine{
			scheduler.Go(ctx, write(before)),
			scheduler.Go(ctx, func(context.Context) error { _, err := a.ReadFrom(f); return err }),
		}
		first := make([]byte, len(before)+1)
		_, err := io.ReadFull(b, first)
		require.NoError(t, err)
		require.Equal(t, append(before, want[0]), first)
		all = append(all, scheduler.Go(ctx, write(after)))
		off := scheduler.Offload(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, write(after)(ctx) })
		rest := make([]byte, len(want)-1+2*len(after))
		_, err = io.ReadFull(b, rest)
		require.NoError(t, err)
		require.True(t, bytes.Equal(append(want[1:], append(after, after...)...), rest))
		for _, c := range all {
			require.NoError(t, c.Await(ctx))
		}
		_, err = off.Await(ctx)
		require.NoError(t, err)
		return errors.Join(a.Close(), b.Close(), f.Close())
	})
}

// A deadline, a cancellation and Close end it; what it reports has arrived, and the
// file is where it left off.
func TestConnSendingAFileEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*aio.Conn, *scheduler.Coroutine)
		want error
	}{
		"deadline": {func(a *aio.Conn, _ *scheduler.Coroutine) { _ = a.SetDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		"cancel":   {func(_ *aio.Conn, co *scheduler.Coroutine) { co.Cancel(nil) }, context.Canceled},
		"close":    {func(a *aio.Conn, _ *scheduler.Coroutine) { _ = a.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				a, b := pair(t, ctx)
				f, _ := document(t, ctx, 64<<20)
				var sent int64
				sender := scheduler.Go(ctx, func(context.Context) error {
					n, err := a.ReadFrom(f)
					require.ErrorIs(t, err, c.want)
					sent = n
					return nil
				})
				_, err := io.ReadFull(b, make([]byte, 1))
				require.NoError(t, err)
				for at, last := int64(0), int64(-1); at != last; { // until the peer takes no more
					require.NoError(t, scheduler.Sleep(ctx, 5*time.Millisecond))
					last = at
					at, err = f.Seek(0, io.SeekCurrent)
					require.NoError(t, err)
				}
				c.end(a, sender)
				require.NoError(t, sender.Await(ctx))
				_ = a.Close()
				got, err := io.Copy(io.Discard, b)
				require.NoError(t, err)
				require.Equal(t, sent, got+1)
				at, err := f.Seek(0, io.SeekCurrent)
				require.NoError(t, err)
				require.Equal(t, sent, at)
				return errors.Join(b.Close(), f.Close())
			})
		})
	}
}

// What the system cannot send by itself is copied.
func TestConnCopiesWhatCannotBeSent(t *testing.T) {
	refused := false
	defer sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallWrite && !refused {
			refused = true
			f.Errno = syscall.EINVAL
		}
		return f
	})()
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		f, want := document(t, ctx, 100_000)
		n, err := a.ReadFrom(f)
		require.NoError(t, err)
		require.EqualValues(t, len(want), n)
		require.True(t, refused)
		require.NoError(t, a.CloseWrite())
		got, err := io.ReadAll(b)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		return errors.Join(a.Close(), b.Close(), f.Close())
	})
}
