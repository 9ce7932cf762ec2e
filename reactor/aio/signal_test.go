//go:build unix

package aio_test

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// raise sends this process a signal.
func raise(t testing.TB, sig syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(os.Getpid(), sig))
}

func TestWaitSignal(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var all []*scheduler.Future[os.Signal]
		for range 3 {
			all = append(all, scheduler.Spawn(ctx, func(ctx context.Context) (os.Signal, error) {
				return aio.WaitSignal(ctx, syscall.SIGUSR1, syscall.SIGUSR2)
			}))
		}
		require.NoError(t, scheduler.Yield(ctx))
		raise(t, syscall.SIGUSR2)
		for _, f := range all {
			sig, err := f.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, syscall.SIGUSR2, sig)
		}
		return nil
	})
	require.False(t, signal.Ignored(syscall.SIGUSR2))
}

func TestWaitSignalEnds(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := aio.WaitSignal(ctx, syscall.SIGUSR1)
			require.ErrorIs(t, err, context.Canceled)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		c.Cancel(nil)
		require.NoError(t, c.Await(ctx))
		_, err := aio.WaitSignal(ctx)
		require.Error(t, err)
		_, err = aio.WaitSignal(ctx, syscall.SIGKILL)
		require.Error(t, err)
		return nil
	})
}
