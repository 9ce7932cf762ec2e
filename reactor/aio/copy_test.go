//go:build unix

package aio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestConnCopies(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		c, d := pair(t, ctx)
		want := bytes.Repeat([]byte("0123456789"), 100_000)
		scheduler.Go(ctx, func(context.Context) error {
			n, err := io.Copy(a, bytes.NewReader(want))
			require.NoError(t, err)
			require.EqualValues(t, len(want), n)
			return a.Close()
		})
		scheduler.Go(ctx, func(context.Context) error {
			n, err := io.Copy(c, b) // by ReadFrom or WriteTo of a connection
			require.NoError(t, err)
			require.EqualValues(t, len(want), n)
			return errors.Join(b.Close(), c.Close())
		})
		var got bytes.Buffer
		_, err := d.WriteTo(&got)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got.Bytes()))
		return d.Close()
	})
}

// Where nothing can be written nothing is read that would be lost.
func TestConnCopiesNothingToWhatCannotBeWritten(t *testing.T) {
	type dst interface {
		io.WriteCloser
		SetWriteDeadline(t time.Time) error
	}
	spoil := map[string]struct {
		do               func(c dst) error
		ofConn, ofStream error
	}{
		"closed":        {func(c dst) error { return c.Close() }, net.ErrClosed, os.ErrClosed},
		"past deadline": {func(c dst) error { return c.SetWriteDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded, os.ErrDeadlineExceeded},
	}
	for name, how := range spoil {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				c, peer := pair(t, ctx)
				r, w, err := aio.Pipe(ctx)
				require.NoError(t, err)
				require.NoError(t, errors.Join(how.do(c), how.do(w)))

				text := strings.NewReader("hello")
				n, err := c.ReadFrom(text)
				require.ErrorIs(t, err, how.ofConn)
				require.Zero(t, n)
				require.Equal(t, 5, text.Len())

				a, b := pair(t, ctx)
				_, err = a.Write([]byte("hello"))
				require.NoError(t, err)
				for to, want := range map[dst]error{c: how.ofConn, w: how.ofStream} {
					n, err := b.WriteTo(to)
					require.ErrorIs(t, err, want)
					require.Zero(t, n)
				}
				got := make([]byte, 5)
				_, err = io.ReadFull(b, got)
				require.NoError(t, err)
				require.Equal(t, "hello", string(got))
				_, _ = c.Close(), w.Close()
				return errors.Join(a.Close(), b.Close(), peer.Close(), r.Close())
			})
		})
	}
}
