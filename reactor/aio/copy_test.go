//go:build unix

package aio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

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
