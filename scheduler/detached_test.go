package scheduler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestDetachedFutureIsReportedByNobody(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewDetached[int](scheduler.NewScope(ctx), 0)
		require.NoError(t, r.Fail(errors.New("boom")))
		require.False(t, f.Delivered())
		return nil
	})
}

func TestDeliveredMeansThatSomebodyWasGivenTheError(t *testing.T) {
	boom := errors.New("boom")
	run(t, func(ctx context.Context) error {
		failing := func() (*scheduler.Future[int], *scheduler.Resolver[int]) {
			return scheduler.NewDetached[int](scheduler.NewScope(ctx), 0)
		}
		f, r := failing()
		scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := f.Await(ctx)
			require.Same(t, boom, err)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.False(t, f.Delivered(), "it may still not fail")
		require.NoError(t, r.Fail(boom))
		require.True(t, f.Delivered())

		f, r = failing()
		require.NoError(t, r.Fail(boom))
		f.Ignore()
		require.False(t, f.Delivered(), "ignored")
		_, _ = scheduler.AwaitAny(ctx, scheduler.Completed(1), f)
		require.False(t, f.Delivered(), "passed over")
		f.Catch(func(error) (int, error) { return 0, nil })
		require.True(t, f.Delivered())

		f, r = failing()
		require.NoError(t, r.Complete(1))
		_, err := f.Await(ctx)
		require.NoError(t, err)
		require.False(t, f.Delivered(), "no error")
		return nil
	})
}

func TestSettleGivesAnErrorAndWhatThereIsOfTheResult(t *testing.T) {
	boom := errors.New("boom")
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		require.NoError(t, r.Settle(7, boom))
		require.ErrorIs(t, r.Settle(8, nil), scheduler.ErrCompleted)
		v, err := f.Await(ctx)
		require.Same(t, boom, err)
		require.Equal(t, 7, v)
		return nil
	})
}
