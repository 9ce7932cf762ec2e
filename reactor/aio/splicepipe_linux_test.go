package aio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Who waits for more to come has no pipe: one serves all of them.
func TestConnSplicesWithFewPipes(t *testing.T) {
	calls := counted(t, nil)
	run(t, func(ctx context.Context) error {
		const all = 256 << 10
		var open []io.Closer
		opened := int64(0)
		for range 5 {
			a, b := pair(t, ctx)
			c, d := pair(t, ctx)
			open = append(open, b, c, d, a)
			before, spliced := calls[sys.CallOpen].Load(), calls[sys.CallSplice].Load()
			scheduler.Go(ctx, func(context.Context) error {
				_, err := io.Copy(c, b)
				require.ErrorIs(t, err, net.ErrClosed)
				return nil
			})
			scheduler.Go(ctx, func(context.Context) error { _, err := a.Write(make([]byte, all)); return err })
			_, err := io.ReadFull(d, make([]byte, all))
			require.NoError(t, err)
			require.Greater(t, calls[sys.CallSplice].Load(), spliced)
			opened += calls[sys.CallOpen].Load() - before
		}
		require.EqualValues(t, 1, opened)
		for _, c := range open {
			require.NoError(t, c.Close())
		}
		return nil
	})
}

// Destinations that do not read have so many pipes and no more; the others get what is
// read and written.
func TestConnSplicesWithSoManyPipes(t *testing.T) {
	calls := counted(t, nil)
	run(t, func(ctx context.Context) error {
		const relays, limit, all = 70, 64, 1 << 20
		before := pipeEnds()
		var sinks []*aio.Conn
		want := noise(all)
		for i := range relays {
			a, b := unixPair(t, ctx)
			c, d := unixPair(t, ctx)
			sinks = append(sinks, d)
			scheduler.Go(ctx, func(context.Context) error {
				_, err := a.Write(want)
				return errors.Join(err, a.Close())
			})
			spliced := calls[sys.CallSplice].Load()
			copying := scheduler.Go(ctx, func(context.Context) error {
				n, err := io.Copy(c, b)
				require.NoError(t, err)
				require.EqualValues(t, all, n)
				return ends(b, c)
			})
			for copying.State() != scheduler.Suspended || calls[sys.CallSplice].Load() == spliced && i < limit {
				require.NoError(t, scheduler.Yield(ctx))
			}
		}
		for pipeEnds() < before+2*limit {
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.Equal(t, before+2*limit, pipeEnds())
		for _, d := range sinks {
			got, err := io.ReadAll(d)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got))
			require.NoError(t, d.Close())
		}
		return nil
	})
}

// pipeEnds is how many ends of pipes this process has.
func pipeEnds() (n int) {
	for name := range resources() {
		if strings.Contains(name, " pipe:") {
			n++
		}
	}
	return n
}

// A user who has many pipes gets small ones, which are no better than a buffer.
func TestConnSplicesThroughNoSmallPipe(t *testing.T) {
	calls := counted(t, func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallOpen {
			f.Limit = unix.Getpagesize()
		}
		return f
	})
	run(t, func(ctx context.Context) error {
		return relayed(t, ctx, 1<<20, 0, func() {})
	})
	require.Zero(t, calls[sys.CallSplice].Load())
}
