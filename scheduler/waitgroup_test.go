package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestWaitGroupWaitsForAll(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var wg scheduler.WaitGroup
		ended := 0
		for i := range 10 {
			wg.Go(ctx, func(ctx context.Context) error {
				for range i {
					require.NoError(t, scheduler.Yield(ctx))
				}
				ended++
				return nil
			})
		}
		require.NoError(t, wg.Wait(ctx))
		require.Equal(t, 10, ended)
		require.NoError(t, wg.Wait(ctx), "at 0 it does not wait")
		return nil
	})
}

// Everybody who waits goes on, in order, and it can be used again.
func TestWaitGroupWakesAll(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var wg scheduler.WaitGroup
		for range 2 {
			wg.Add(2)
			all, woken := queue(t, ctx, waiter{take: wg.Wait}, 3)
			wg.Done()
			settle(t, ctx)
			require.Empty(t, *woken)
			wg.Done()
			wg.Add(1) // does not hold those who were let go
			for _, c := range all {
				require.NoError(t, c.Await(ctx))
			}
			require.Len(t, *woken, 3)
			wg.Done()
		}
		return nil
	})
}

func TestWaitGroupCountsHoweverACoroutineEnds(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var wg scheduler.WaitGroup
		scheduler.Current(ctx).Scope().OnError(func(*scheduler.Coroutine, error) {})
		wg.Go(ctx, func(context.Context) error { return errStop })
		wg.Go(ctx, func(context.Context) error { panic(errStop) })
		wg.Go(ctx, func(context.Context) error { return nil }).Cancel(nil)
		closed := scheduler.NewScope(ctx)
		closed.Cancel(nil)
		wg.Go(ctx, func(context.Context) error { return nil }, scheduler.In(closed))
		require.NoError(t, wg.Wait(ctx))
		return nil
	}, scheduler.WithLogger(nil))
}

func TestWaitGroupWaitEndsWithItsContext(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var wg scheduler.WaitGroup
		wg.Add(1)
		sub, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		require.ErrorIs(t, wg.Wait(sub), context.DeadlineExceeded)
		wg.Done()
		require.NoError(t, wg.Wait(sub), "what is there needs no waiting")
		return nil
	})
}

func TestWaitGroupMisuse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var wg scheduler.WaitGroup
		require.Panics(t, wg.Done)
		require.NoError(t, wg.Wait(ctx))
		require.Panics(t, func() { wg.Go(context.Background(), func(context.Context) error { return nil }) })
		require.NoError(t, wg.Wait(ctx), "nothing was counted")
		require.ErrorIs(t, wg.Wait(context.Background()), scheduler.ErrNotCoroutine)
		wg.Add(1)
		_, err := scheduler.Offload(ctx, func(off context.Context) (int, error) {
			require.ErrorIs(t, wg.Wait(off), scheduler.ErrForeignGoroutine)
			require.Panics(t, wg.Done)
			return 0, nil
		}).Await(ctx)
		return err
	})
}

func TestWaitGroupGoNotesItsCaller(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var wg scheduler.WaitGroup
		c := wg.Go(ctx, func(context.Context) error { return nil })
		require.Contains(t, c.SpawnedAt(), "waitgroup_test.go:")
		return wg.Wait(ctx)
	})
}

func ExampleWaitGroup() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		var all scheduler.WaitGroup
		sum := 0
		for i := range 5 {
			all.Go(ctx, func(ctx context.Context) error {
				sum += i // no lock: one coroutine runs at a time
				return nil
			})
		}
		err := all.Wait(ctx)
		fmt.Println(sum)
		return err
	})
	// Output: 10
}
