package scheduler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// spend has the coroutine of ctx do n things that cost 1 each, as an operation that
// completes at once does.
func spend(t testing.TB, ctx context.Context, n int) {
	c := scheduler.Current(ctx)
	for range n {
		require.NoError(t, c.YieldIfSpent())
		c.Spend(1)
	}
}

// turnsOfAnother spawns a coroutine that yields for ever, and counts its turns.
func turnsOfAnother(ctx context.Context) *int {
	turns := new(int)
	scheduler.Go(ctx, func(ctx context.Context) error {
		for {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
			*turns++
		}
	})
	return turns
}

func TestYieldIfSpentLetsOthersRun(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		turns := turnsOfAnother(ctx)
		require.NoError(t, scheduler.Yield(ctx)) // and it has begun
		before := *turns
		spend(t, ctx, 1601)
		require.InDelta(t, before+100, *turns, 1)
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	})
}

func TestYieldIfSpentCountsOneTurn(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		turns := turnsOfAnother(ctx)
		require.NoError(t, scheduler.Yield(ctx))
		for range 100 {
			spend(t, ctx, 10)
			before, beforeTurns := s.Stats().Switches, *turns
			require.NoError(t, scheduler.Yield(ctx))
			require.Equal(t, beforeTurns+1, *turns)
			require.Equal(t, before+2, s.Stats().Switches, "there and back, and no more")
		}
		s.Shutdown(nil)
		return nil
	})
}

// What one coroutine has spent is not the debt of the next, also where that begins on
// the same stack without a switch.
func TestSpendEndsWithTheCoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		var order []int
		for i := range 100 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				spend(t, ctx, 10)
				order = append(order, i)
				return nil
			})
		}
		before := s.Stats()
		settle(t, ctx)
		require.IsIncreasing(t, order)
		require.Len(t, order, 100)
		require.Equal(t, before.DirectStarts+99, s.Stats().DirectStarts, "nobody gave way before its end")
		return nil
	})
}

// Alone on its loop, a coroutine that spends all the time keeps nothing from outside
// from being seen.
func TestYieldIfSpentLooksOutside(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Current(ctx)
		posted := false
		go func() { _ = c.Scheduler().Post(func() { posted = true }) }()
		for !posted {
			spend(t, ctx, 1)
		}
		return nil
	})
}

func TestYieldIfSpentLeavesACancellationToInterrupted(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			me := scheduler.Current(ctx)
			scheduler.Go(ctx, func(context.Context) error {
				require.Equal(t, scheduler.Ready, me.State())
				me.Cancel(nil)
				return nil
			})
			spend(t, ctx, 16)
			require.NoError(t, me.Interrupted())
			require.NoError(t, me.YieldIfSpent())
			require.True(t, me.CancelRequested())
			err := me.Interrupted()
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, me.Interrupted(), "once")
			return err
		})
		require.ErrorIs(t, c.Await(ctx), context.Canceled)
		return nil
	})
}

func TestYieldIfSpentGivesWhatResumeWasGiven(t *testing.T) {
	run(t, func(ctx context.Context) error {
		boom := errors.New("boom")
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			spend(t, ctx, 16)
			require.Equal(t, boom, scheduler.Current(ctx).YieldIfSpent())
			return nil
		})
		scheduler.Go(ctx, func(context.Context) error { return c.Resume(boom) })
		return c.Await(ctx)
	})
}

// Where everybody is being unwound nobody gives way any more.
func TestYieldIfSpentInTheFinalCleanUp(t *testing.T) {
	reached := false
	run(t, func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() {
				spend(t, ctx, 1000)
				reached = true
			}()
			_, err := scheduler.Suspend(context.WithoutCancel(ctx))
			return err
		})
		require.NoError(t, scheduler.Yield(ctx))
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	}, scheduler.WithGrace(0))
	require.True(t, reached)
}
