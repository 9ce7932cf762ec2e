//go:build unix

package aio_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

func TestConnReadDeadline(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer b.Close()
		defer a.Close()
		start := time.Now()
		require.NoError(t, a.SetReadDeadline(start.Add(20*time.Millisecond)))
		_, err := a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.GreaterOrEqual(t, time.Since(start), 20*time.Millisecond)
		var ne net.Error
		require.True(t, errors.As(err, &ne) && ne.Timeout())
		_, err = b.Write([]byte("x"))
		require.NoError(t, err)
		_, err = a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "also where data waits")
		require.NoError(t, a.SetReadDeadline(time.Time{}))
		_, err = a.Read(make([]byte, 1))
		require.NoError(t, err)
		return nil
	})
}

// A deadline that another coroutine sets reaches a read that is under way.
func TestConnDeadlineReachesABlockedRead(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer b.Close()
		defer a.Close()
		reader := scheduler.Spawn(ctx, func(context.Context) (int, error) { return a.Read(make([]byte, 1)) })
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, a.SetDeadline(time.Now().Add(-time.Second)))
		_, err := reader.Await(ctx)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		return nil
	})
}

// Deadlines follow the scheduler's clock, also a virtual one.
func TestDeadlineInVirtualTime(t *testing.T) {
	clock := schedtest.NewClock(time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC))
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		start := clock.Now()
		require.NoError(t, a.SetReadDeadline(start.Add(24*time.Hour)))
		_, err := a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 24*time.Hour, clock.Now().Sub(start))
		require.NoError(t, a.SetReadDeadline(clock.Now().Add(-time.Second)))
		_, err = a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, a.Close())
		return b.Close()
	}, scheduler.WithClock(clock))
}

// A deadline that is moved on while somebody waits holds from then on.
func TestDeadlineMovesWhileSomebodyWaits(t *testing.T) {
	clock := schedtest.NewClock(schedtest.Start)
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		require.NoError(t, a.SetReadDeadline(schedtest.Start.Add(time.Hour)))
		reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, os.ErrDeadlineExceeded) })
		require.NoError(t, a.SetReadDeadline(schedtest.Start.Add(3*time.Hour)))
		require.NoError(t, reader.Await(ctx))
		require.Equal(t, schedtest.Start.Add(3*time.Hour), clock.Now())

		require.NoError(t, a.SetReadDeadline(clock.Now().Add(24*time.Hour)))
		reader = parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, os.ErrDeadlineExceeded) })
		_, err := scheduler.Offload(ctx, func(context.Context) (struct{}, error) {
			return struct{}{}, a.SetReadDeadline(clock.Now().Add(time.Hour))
		}).Await(ctx)
		require.NoError(t, err)
		require.NoError(t, reader.Await(ctx))
		require.Equal(t, schedtest.Start.Add(4*time.Hour), clock.Now())
		require.NoError(t, a.Close())
		return b.Close()
	}, scheduler.WithClock(clock))
}
