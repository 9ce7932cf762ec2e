package scheduler_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestSemaphoreBounds(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		const size = 5
		sem := scheduler.NewSemaphore(size)
		var work scheduler.WaitGroup
		used, most := int64(0), int64(0)
		for i := range 20 {
			n := int64(i%size) + 1
			work.Go(ctx, func(ctx context.Context) error {
				if err := sem.Acquire(ctx, n); err != nil {
					return err
				}
				used += n
				most = max(most, used)
				require.LessOrEqual(t, used, int64(size))
				require.NoError(t, scheduler.Yield(ctx))
				used -= n
				sem.Release(n)
				return nil
			})
		}
		require.NoError(t, work.Wait(ctx))
		require.EqualValues(t, size, most)
		require.True(t, sem.TryAcquire(size), "all is back")
		return nil
	})
}

// The limit holds while those who passed it suspend to make what it limits.
func TestFault_TA17_LimitHoldsWhileFactoriesSuspend(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		const limit = 3
		sem := scheduler.NewSemaphore(limit)
		var idle []int
		made, out := 0, 0
		get := func(ctx context.Context) (conn int, err error) {
			if err := sem.Acquire(ctx, 1); err != nil {
				return 0, err
			}
			if n := len(idle); n > 0 {
				conn, idle = idle[n-1], idle[:n-1]
				return conn, nil
			}
			if err := scheduler.Yield(ctx); err != nil { // connects
				sem.Release(1)
				return 0, err
			}
			made++
			return made, nil
		}
		var work scheduler.WaitGroup
		for range 20 {
			work.Go(ctx, func(ctx context.Context) error {
				conn, err := get(ctx)
				if err != nil {
					return err
				}
				out++
				require.LessOrEqual(t, out, limit)
				require.NoError(t, scheduler.Yield(ctx))
				out--
				idle = append(idle, conn)
				sem.Release(1)
				return nil
			})
		}
		require.NoError(t, work.Wait(ctx))
		require.LessOrEqual(t, made, limit)
		return nil
	})
}

// Sixteen over five: nobody who gives back and takes again overtakes.
func TestFault_TA2_SemaphoreStarvesNobody(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		const size, coroutines, rounds = 5, 16, 20
		sem := scheduler.NewSemaphore(size)
		var work scheduler.WaitGroup
		var turns []int
		for i := range coroutines {
			work.Go(ctx, func(ctx context.Context) error {
				for range rounds {
					if err := sem.Acquire(ctx, 1); err != nil {
						return err
					}
					turns = append(turns, i)
					require.NoError(t, scheduler.Yield(ctx))
					sem.Release(1)
				}
				return nil
			})
		}
		require.NoError(t, work.Wait(ctx))
		last := map[int]int{}
		for at, i := range turns {
			if before, ok := last[i]; ok {
				require.LessOrEqual(t, at-before, coroutines+2*size, "%d waited while others had turn after turn", i)
			}
			last[i] = at
		}
		return nil
	})
}

// One who wants much is not starved by those who want little.
func TestSemaphoreKeepsThePlaceOfALargeRequest(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sem := scheduler.NewSemaphore(4)
		require.NoError(t, sem.Acquire(ctx, 2))
		large := scheduler.Go(ctx, func(ctx context.Context) error { return sem.Acquire(ctx, 4) })
		for large.State() != scheduler.Suspended {
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.False(t, sem.TryAcquire(1), "2 are free, but somebody waits")
		small := scheduler.Go(ctx, func(ctx context.Context) error { return sem.Acquire(ctx, 1) })
		settle(t, ctx)
		require.Equal(t, scheduler.Suspended, small.State())
		sem.Release(2)
		require.NoError(t, large.Await(ctx))
		settle(t, ctx)
		require.Equal(t, scheduler.Suspended, small.State())
		sem.Release(4)
		return small.Await(ctx)
	})
}

// The first in line is cancelled: those behind it, who want less, go on.
func TestFault_EG5_CancelledFrontWaiterWakesTheRest(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sem := scheduler.NewSemaphore(4)
		require.NoError(t, sem.Acquire(ctx, 2))
		large := scheduler.Go(ctx, func(ctx context.Context) error { return sem.Acquire(ctx, 3) })
		for large.State() != scheduler.Suspended {
			require.NoError(t, scheduler.Yield(ctx))
		}
		var small []*scheduler.Coroutine
		for range 2 {
			small = append(small, scheduler.Go(ctx, func(ctx context.Context) error { return sem.Acquire(ctx, 1) }))
		}
		settle(t, ctx)
		large.Cancel(errStop)
		require.ErrorIs(t, large.Await(ctx), errStop)
		for _, c := range small {
			require.NoError(t, c.Await(ctx))
		}
		require.False(t, sem.TryAcquire(1))
		return nil
	})
}

// A waiter that was given its units and is cancelled before it runs gives them back.
func TestFault_EG5_UnitsOfACancelledWaiterComeBack(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sem := scheduler.NewSemaphore(3)
		require.NoError(t, sem.Acquire(ctx, 3))
		w := scheduler.Go(ctx, func(ctx context.Context) error { return sem.Acquire(ctx, 2) })
		settle(t, ctx)
		sem.Release(3)
		w.Cancel(errStop)
		require.ErrorIs(t, w.Await(ctx), errStop)
		require.True(t, sem.TryAcquire(3))
		return nil
	})
}

// A full group whose members wait for a cancellation that only the producer can
// give: the producer is not stuck in the line.
func TestFault_CO1_WaitingForASlotIsCancellable(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sub, cancel := context.WithCancelCause(ctx)
		sem := scheduler.NewSemaphore(2)
		var work scheduler.WaitGroup
		for range 2 {
			require.NoError(t, sem.Acquire(ctx, 1))
			work.Go(sub, func(ctx context.Context) error {
				defer sem.Release(1)
				return scheduler.AwaitShutdown(ctx)
			})
		}
		late, stop := scheduler.WithTimeout(ctx, time.Millisecond)
		defer stop()
		require.ErrorIs(t, sem.Acquire(late, 1), context.DeadlineExceeded)
		cancel(errStop)
		require.NoError(t, work.Wait(ctx))
		require.True(t, sem.TryAcquire(2))
		return nil
	})
}

func TestSemaphoreMisuse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		require.Panics(t, func() { scheduler.NewSemaphore(-1) })
		sem := scheduler.NewSemaphore(2)
		require.Error(t, sem.Acquire(ctx, 3), "for ever out of reach")
		require.Panics(t, func() { _ = sem.Acquire(ctx, -1) })
		require.Panics(t, func() { sem.TryAcquire(-1) })
		require.Panics(t, func() { sem.Release(1) })
		require.NoError(t, sem.Acquire(ctx, 2))
		require.Panics(t, func() { sem.Release(3) })
		require.Panics(t, func() { sem.Release(-1) })
		require.Panics(t, func() { sem.Release(math.MaxInt64) })
		require.False(t, sem.TryAcquire(1))
		require.NoError(t, sem.Acquire(ctx, 0))
		require.ErrorIs(t, sem.Acquire(context.Background(), 1), scheduler.ErrNotCoroutine)
		_, err := scheduler.Offload(ctx, func(off context.Context) (int, error) {
			require.ErrorIs(t, sem.Acquire(off, 1), scheduler.ErrForeignGoroutine)
			require.Panics(t, func() { sem.Release(1) })
			return 0, nil
		}).Await(ctx)
		return err
	})
}

func TestSemaphoreAllocatesNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sem := scheduler.NewSemaphore(3)
		stop := false
		other := scheduler.Go(ctx, func(ctx context.Context) error {
			for !stop {
				if err := sem.Acquire(ctx, 2); err != nil {
					return err
				}
				_ = scheduler.Yield(ctx)
				sem.Release(2)
			}
			return nil
		})
		requireNoAllocs(t, ctx, func() {
			_ = sem.Acquire(ctx, 2)
			_ = scheduler.Yield(ctx)
			sem.Release(2)
		})
		stop = true
		return other.Await(ctx)
	})
}

func ExampleSemaphore() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		connections := scheduler.NewSemaphore(2)
		var queries scheduler.WaitGroup
		open, most := 0, 0
		for range 10 {
			queries.Go(ctx, func(ctx context.Context) error {
				if err := connections.Acquire(ctx, 1); err != nil {
					return err
				}
				defer connections.Release(1)
				open++
				most = max(most, open)
				defer func() { open-- }()
				return scheduler.Sleep(ctx, time.Millisecond)
			})
		}
		err := queries.Wait(ctx)
		fmt.Println("at once:", most)
		return err
	})
	// Output: at once: 2
}
