package scheduler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// deep suspends at the bottom of n calls, and notes where.
func deep(ctx context.Context, n int, at *string) error {
	if n > 0 {
		return deep(ctx, n-1, at)
	}
	*at = here(1)
	return scheduler.AwaitShutdown(ctx)
}

func TestSuspendedAtIsTheUsersPlace(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var at string
		ch := scheduler.NewChannel[int](ctx, 0)
		var mu scheduler.Mutex
		require.True(t, mu.TryLock())
		sem := scheduler.NewSemaphore(1)
		require.True(t, sem.TryAcquire(1))
		var wg scheduler.WaitGroup
		wg.Add(1)
		f, _ := scheduler.NewFuture[int](ctx)
		ways := []func(context.Context){
			func(ctx context.Context) {
				at = here(1)
				_, _ = scheduler.Suspend(ctx)
			},
			func(ctx context.Context) {
				at = here(1)
				_ = scheduler.Sleep(ctx, time.Hour)
			},
			func(ctx context.Context) {
				at = here(1)
				_, _ = f.Await(ctx)
			},
			func(ctx context.Context) {
				at = here(1)
				_, _ = scheduler.AwaitAll(ctx, f, f)
			},
			func(ctx context.Context) {
				at = here(1)
				_ = ch.Send(ctx, 1)
			},
			func(ctx context.Context) {
				at = here(1)
				for range ch.All(ctx) {
				}
			},
			func(ctx context.Context) {
				at = here(1)
				_ = mu.Lock(ctx)
			},
			func(ctx context.Context) {
				at = here(1)
				_ = sem.Acquire(ctx, 1)
			},
			func(ctx context.Context) {
				at = here(1)
				_ = wg.Wait(ctx)
			},
		}
		for _, way := range ways {
			c := scheduler.Go(ctx, func(ctx context.Context) error { way(ctx); return nil })
			for c.State() != scheduler.Suspended {
				require.Empty(t, c.SuspendedAt())
				require.NoError(t, scheduler.Yield(ctx))
			}
			require.Equal(t, at, c.SuspendedAt())
			require.Equal(t, at, c.SuspendedAt(), "it can be asked again")
			require.Contains(t, string(c.Stack()), "probe_test.go")
			c.Cancel(nil)
			_ = c.Await(ctx)
			require.Empty(t, c.SuspendedAt())
			require.Nil(t, c.Stack())
		}
		return nil
	})
}

func TestSuspendedAtDeepInTheStack(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var at string
		c := scheduler.Go(ctx, func(ctx context.Context) error { return deep(ctx, 500, &at) })
		settle(t, ctx)
		require.Equal(t, at, c.SuspendedAt())
		require.Greater(t, len(c.Stack()), 8<<10, "all of it")
		c.Cancel(nil)
		return nil
	})
}

// Being asked changes nothing: neither what one waits for, nor the order, nor the
// handlers of switches.
func TestProbingDisturbsNobody(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		all, got := receivers(t, ctx, ch, 3)
		events := 0
		require.NoError(t, all[1].OnSwitch(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool {
			events++
			return true
		}}))
		for _, c := range all {
			for range 3 {
				require.NotEmpty(t, c.SuspendedAt())
			}
		}
		require.Zero(t, events)
		for i := range 3 {
			require.True(t, ch.TrySend(i))
			require.NotEmpty(t, all[i].SuspendedAt(), "ready, and still parked")
		}
		settle(t, ctx)
		require.Equal(t, map[int]int{0: 0, 1: 1, 2: 2}, got)
		require.Equal(t, 2, events, "entered, and finished")
		return nil
	})
}

// A callback may ask, also about the coroutine on whose stack it runs.
func TestProbingFromACallback(t *testing.T) {
	run(t, func(ctx context.Context) error {
		me := scheduler.Current(ctx)
		other := scheduler.Go(ctx, scheduler.AwaitShutdown)
		settle(t, ctx)
		var mine, others string
		me.Scheduler().Microtask(newTask(func() { mine, others = me.SuspendedAt(), other.SuspendedAt() }))
		at := here(1)
		require.NoError(t, scheduler.Yield(ctx))
		require.Equal(t, at, mine)
		require.Empty(t, me.SuspendedAt(), "running")
		require.Empty(t, others, "its body is the library's own")
		other.Cancel(nil)
		return nil
	})
}

func TestProbingOffTheLoopPanics(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Current(ctx)
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) {
			require.Panics(t, func() { c.SuspendedAt() })
			require.Panics(t, func() { c.Stack() })
			return 0, nil
		}).Await(ctx)
		return err
	})
}

func ExampleCoroutine_SuspendedAt() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			return scheduler.Sleep(ctx, time.Hour)
		})
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		fmt.Println(c.State(), "in", filepath.Base(c.SuspendedAt())[:len("probe_test.go")])
		c.Cancel(nil)
		return nil
	})
	// Output: suspended in probe_test.go
}

func ExampleCoroutine_Stack() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			return scheduler.Sleep(ctx, time.Hour)
		})
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		fmt.Println("it sleeps:", strings.Contains(string(c.Stack()), "scheduler.Sleep"))
		fmt.Println("of one that runs:", scheduler.Current(ctx).Stack() != nil)
		c.Cancel(nil)
		return nil
	})
	// Output:
	// it sleeps: true
	// of one that runs: false
}
