//go:build unix

package aio_test

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestOpeningNeedsACoroutine(t *testing.T) {
	_, err := aio.Listen(context.Background(), "tcp", "127.0.0.1:0")
	require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
	_, err = aio.Dial(context.Background(), "tcp", "127.0.0.1:1")
	require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
	_, err = aio.Open(context.Background(), "/dev/null")
	require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
	run(t, func(ctx context.Context) error {
		refused := make(chan error, 1)
		require.NoError(t, scheduler.Current(ctx).Scheduler().Post(func() {
			_, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
			refused <- err
		}))
		require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		require.ErrorIs(t, <-refused, scheduler.ErrNotCoroutine, "in a callback")
		other := scheduler.Go(ctx, func(context.Context) error {
			_, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
			require.ErrorIs(t, err, scheduler.ErrForeignGoroutine, "with another's ctx")
			return nil
		})
		return other.Await(ctx)
	})
}

// A goroutine off the loop that has a ctx of the loop's opens there, and is bound
// by the ctx.
func TestOpeningOffTheLoop(t *testing.T) {
	run(t, func(ctx context.Context) error {
		_, err := scheduler.Offload(ctx, func(ctx context.Context) (struct{}, error) {
			a, b := pair(t, ctx)
			_, err := a.Write([]byte("x"))
			require.NoError(t, err)
			_, err = b.Read(make([]byte, 1))
			require.NoError(t, err)
			require.NoError(t, a.Close())
			require.NoError(t, b.Close())
			within, cancel := context.WithCancelCause(ctx)
			cancel(os.ErrPermission)
			_, err = aio.Listen(within, "tcp", "127.0.0.1:0")
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, os.ErrPermission)
			within, stop := context.WithTimeout(ctx, time.Millisecond)
			defer stop()
			_, err = aio.WaitSignal(within, syscall.SIGUSR1)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return struct{}{}, nil
		}).Await(ctx)
		return err
	})
}

// After the loop has ended its ctx opens nothing any more.
func TestOpeningAfterTheEnd(t *testing.T) {
	clean(t)
	var late context.Context
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		late = ctx
		return nil
	}))
	_, err := aio.Listen(late, "tcp", "127.0.0.1:0")
	require.ErrorIs(t, err, scheduler.ErrFinished)
}
