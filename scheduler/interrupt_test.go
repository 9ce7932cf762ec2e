package scheduler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// The interruption is taken once, by Interrupted or by a Wait, whichever comes first.
func TestInterruptedIsTakenOnce(t *testing.T) {
	run(t, func(ctx context.Context) error {
		cause := errors.New("enough")
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			me := scheduler.Current(ctx)
			require.NoError(t, me.Interrupted())
			me.InterruptNext()
			require.NoError(t, me.Interrupted(), "nobody has cancelled it")
			me.Cancel(cause)
			err := me.Interrupted()
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, cause)
			require.NoError(t, me.Interrupted())
			timer := me.Scheduler().Reactor().NewTimer(0, 0)
			require.NoError(t, me.Wait(timer))
			return err
		})
		require.ErrorIs(t, c.Await(ctx), context.Canceled)
		return nil
	})
}

func TestInterruptNextComesAgain(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			me := scheduler.Current(ctx)
			me.Cancel(nil)
			timer := me.Scheduler().Reactor().NewTimer(0, 0)
			require.ErrorIs(t, me.Wait(timer), context.Canceled)
			me.InterruptNext()
			require.ErrorIs(t, me.Wait(timer), context.Canceled)
			require.NoError(t, me.Wait(timer))
			me.InterruptNext()
			require.ErrorIs(t, me.Interrupted(), context.Canceled)
			return nil
		})
		return c.Await(ctx)
	})
}

// In the final clean-up whoever asks is told, every time, so that what never waits
// ends as well.
func TestInterruptedInTheFinalCleanUp(t *testing.T) {
	told := 0
	run(t, func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			_ = scheduler.AwaitShutdown(ctx)
			for {
				if scheduler.Current(ctx).Interrupted() != nil {
					told++
				}
			}
		})
		require.NoError(t, scheduler.Yield(ctx))
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	}, scheduler.WithGrace(0))
	require.NotZero(t, told)
}
