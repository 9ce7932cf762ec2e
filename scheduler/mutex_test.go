package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestMutexExcludes(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var (
			mu     scheduler.Mutex
			work   scheduler.WaitGroup
			inside int
			total  int
		)
		for range 10 {
			work.Go(ctx, func(ctx context.Context) error {
				for range 10 {
					if err := mu.Lock(ctx); err != nil {
						return err
					}
					inside++
					require.Equal(t, 1, inside)
					require.NoError(t, scheduler.Yield(ctx))
					inside--
					total++
					mu.Unlock()
				}
				return nil
			})
		}
		require.NoError(t, work.Wait(ctx))
		require.Equal(t, 100, total)
		return nil
	})
}

func TestMutexTryLock(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var mu scheduler.Mutex
		require.True(t, mu.TryLock())
		require.False(t, mu.TryLock())
		w := scheduler.Go(ctx, mu.Lock)
		settle(t, ctx)
		mu.Unlock()
		require.False(t, mu.TryLock(), "it has been handed over")
		require.NoError(t, w.Await(ctx))
		require.False(t, mu.TryLock())
		mu.Unlock()
		require.True(t, mu.TryLock())
		return nil
	})
}

// One that unlocks and locks again gets in line behind those who wait.
func TestFault_TA2_MutexIsNotRetaken(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var (
			mu   scheduler.Mutex
			held []int
			work scheduler.WaitGroup
		)
		for i := range 4 {
			work.Go(ctx, func(ctx context.Context) error {
				for range 20 { // never gives way while it holds the lock
					if err := mu.Lock(ctx); err != nil {
						return err
					}
					held = append(held, i)
					if len(held) == 1 {
						for range 5 { // until all others wait
							require.NoError(t, scheduler.Yield(ctx))
						}
					}
					mu.Unlock()
				}
				return nil
			})
		}
		require.NoError(t, work.Wait(ctx))
		for at := range held[:len(held)-4] {
			require.Equal(t, held[at], held[at+4], "they take turns: %v", held)
		}
		return nil
	})
}

func TestMutexLockThatIsCancelledHoldsNothing(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var mu scheduler.Mutex
		require.NoError(t, mu.Lock(ctx))
		sub, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		require.ErrorIs(t, mu.Lock(sub), context.DeadlineExceeded)
		mu.Unlock()
		require.ErrorIs(t, mu.Lock(sub), context.DeadlineExceeded, "it is free, but the ctx has ended")
		require.True(t, mu.TryLock())
		return nil
	})
}

func TestMutexMisuse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var mu scheduler.Mutex
		require.Panics(t, mu.Unlock)
		require.ErrorIs(t, mu.Lock(context.Background()), scheduler.ErrNotCoroutine)
		require.NoError(t, mu.Lock(ctx))
		_, err := scheduler.Offload(ctx, func(off context.Context) (int, error) {
			require.ErrorIs(t, mu.Lock(off), scheduler.ErrForeignGoroutine)
			require.Panics(t, mu.Unlock)
			return 0, scheduler.Run(off, func(ctx context.Context) error {
				require.ErrorIs(t, mu.Lock(ctx), scheduler.ErrForeignGoroutine)
				return nil
			})
		}).Await(ctx)
		mu.Unlock()
		return err
	})
}

func TestMutexAllocatesNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var mu scheduler.Mutex
		stop := false
		other := scheduler.Go(ctx, func(ctx context.Context) error {
			for !stop {
				if err := mu.Lock(ctx); err != nil {
					return err
				}
				_ = scheduler.Yield(ctx)
				mu.Unlock()
			}
			return nil
		})
		requireNoAllocs(t, ctx, func() {
			_ = mu.Lock(ctx)
			_ = scheduler.Yield(ctx)
			mu.Unlock()
		})
		stop = true
		return other.Await(ctx)
	})
}

func ExampleMutex() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		var (
			account scheduler.Mutex
			balance = 100
		)
		withdraw := func(ctx context.Context) error {
			if err := account.Lock(ctx); err != nil {
				return err
			}
			defer account.Unlock()
			if balance < 70 {
				fmt.Println("not enough")
				return nil
			}
			if err := scheduler.Sleep(ctx, time.Millisecond); err != nil { // asks the bank
				return err
			}
			balance -= 70
			fmt.Println("withdrawn")
			return nil
		}
		var both scheduler.WaitGroup
		both.Go(ctx, withdraw)
		both.Go(ctx, withdraw)
		return both.Wait(ctx)
	})
	// Output:
	// withdrawn
	// not enough
}
