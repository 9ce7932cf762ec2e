package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Any number of coroutines and goroutines await a future, before it settles and
// after.
func TestManyAwaitAFuture(t *testing.T) {
	for name, fail := range map[string]bool{"value": false, "error": true} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				f, r := scheduler.NewExternal[int](ctx)
				check := func(v int, err error) {
					if fail && (v != 0 || err != errBoom) || !fail && (v != 9 || err != nil) {
						t.Errorf("%d, %v", v, err)
					}
				}
				for range 10 {
					scheduler.Go(ctx, func(ctx context.Context) error { check(f.Await(ctx)); return nil })
				}
				var goroutines sync.WaitGroup
				for range 10 {
					goroutines.Go(func() { check(f.Await(context.Background())) })
					goroutines.Go(func() { check(f.Await(ctx)) })
				}
				yields(ctx, 1)
				require.False(t, f.Done())
				go func() {
					if fail {
						_ = r.Fail(errBoom)
					} else {
						_ = r.Complete(9)
					}
				}()
				check(f.Await(ctx))
				require.True(t, f.Done())
				check(f.Await(ctx))
				goroutines.Wait()
				elsewhere(func() { check(f.Await(context.Background())) })
				return nil
			})
		})
	}
}

func TestAwaitFromAGoroutineWhoseCtxEnds(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		c := scheduler.Go(ctx, func(ctx context.Context) error { _, err := f.Await(ctx); return err })
		off(ctx, func() {
			short, cancel := context.WithCancelCause(context.Background())
			cancel(errBoom)
			_, err := f.Await(short)
			requireCancelled(t, err, errBoom)
			late, stop := context.WithTimeout(context.Background(), time.Microsecond)
			defer stop()
			_, err = f.Await(late)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, c.Await(late), context.DeadlineExceeded)
			require.ErrorIs(t, func() error { _, err := scheduler.AwaitAll(late, f); return err }(), context.DeadlineExceeded)
		})
		require.NoError(t, r.Complete(1))
		return c.Await(ctx)
	})
}

func TestCoroutineAwaitedFromGoroutines(t *testing.T) {
	run(t, func(ctx context.Context) error {
		release, r := scheduler.NewExternal[int](ctx)
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := release.Await(ctx)
			return errors.Join(err, errBoom)
		})
		var all sync.WaitGroup
		var once sync.Once
		for range 5 {
			all.Go(func() {
				once.Do(func() { go func() { _ = r.Complete(1) }() })
				if err := c.Await(context.Background()); !errors.Is(err, errBoom) {
					t.Error(err)
				}
			})
		}
		require.ErrorIs(t, c.Await(ctx), errBoom)
		off(ctx, all.Wait)
		off(ctx, func() {
			if err := c.Await(context.Background()); !errors.Is(err, errBoom) {
				t.Error(err)
			}
		})
		return nil
	})
}

// What cannot wait is told so, and what has settled is given even to that.
func TestAwaitFromACallback(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		c := scheduler.Go(ctx, func(context.Context) error { return nil })
		s := scheduler.Current(ctx).Scheduler()
		ask := func(ctx context.Context) (errs []error) {
			require.NoError(t, s.Post(func() {
				_, err := f.Await(ctx)
				errs = append(errs, err)
				_, err = scheduler.AwaitAll(ctx, f)
				errs = append(errs, err, c.Await(ctx))
			}))
			require.NoError(t, scheduler.Sleep(ctx, 1))
			return errs
		}
		for _, err := range ask(ctx)[:2] {
			require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		}
		require.NoError(t, r.Complete(1))
		require.NoError(t, c.Await(ctx))
		for _, err := range ask(ctx) {
			require.NoError(t, err)
		}
		return nil
	})
}

// A loop must not be blocked by a wait without its coroutine's ctx.
func TestAwaitOnTheLoopWithAForeignCtx(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(context.Background())
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		c := scheduler.Go(ctx, func(context.Context) error { return nil })
		require.ErrorIs(t, c.Await(context.Background()), scheduler.ErrNotCoroutine)
		_, err = scheduler.AwaitAll(context.Background(), f)
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		_, err = scheduler.AwaitAny(context.Background(), f)
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		return nil
	})
}

func TestACoroutineThatAwaitsItself(t *testing.T) {
	run(t, func(ctx context.Context) error {
		require.ErrorContains(t, scheduler.Current(ctx).Await(ctx), "its own end")
		return nil
	})
}

// Futures are awaited across loops; coroutines are not.
func TestAwaitAcrossLoops(t *testing.T) {
	clean(t)
	type made struct {
		value, failure, pending *scheduler.Future[int]
		c                       *scheduler.Coroutine
	}
	handed := make(chan made, 1)
	over := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := scheduler.Run(context.Background(), func(ctx context.Context) error {
			m := made{c: scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Millisecond) })}
			m.value = scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 4, scheduler.Sleep(ctx, time.Millisecond) })
			m.failure = scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
				return 0, errors.Join(scheduler.Sleep(ctx, time.Millisecond), errBoom)
			})
			m.pending, _ = scheduler.NewFuture[int](ctx)
			handed <- m
			_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { <-over; return 0, nil }).Await(ctx)
			return err
		})
		if err != nil {
			t.Errorf("the failure was looked at, on another loop: %v", err)
		}
	})
	all.Go(func() {
		defer close(over)
		err := scheduler.Run(context.Background(), func(ctx context.Context) error {
			m := <-handed
			if err := m.c.Await(ctx); !errors.Is(err, scheduler.ErrForeignGoroutine) {
				t.Error(err)
			}
			if _, err := scheduler.Suspend(ctx, m.c); !errors.Is(err, scheduler.ErrForeignGoroutine) {
				t.Error(err)
			}
			if fired, err := scheduler.Suspend(ctx, m.pending, m.value); err != nil || fired.String() != m.value.String() {
				t.Error(fired, err)
			}
			if _, err := m.failure.Await(ctx); !errors.Is(err, errBoom) {
				t.Error(err)
			}
			if v, err := scheduler.AwaitAny(ctx, m.pending, m.value); v != 4 || err != nil {
				t.Error(v, err)
			}
			if got, err := scheduler.AwaitN(ctx, 1, m.failure, m.value); got[1] != 4 || err != nil {
				t.Error(got, err)
			}
			short, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if _, err := m.pending.Await(short); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			m.pending.Cancel(errBoom)
			_, err := m.pending.Await(ctx)
			requireCancelled(t, err, errBoom)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	all.Wait()
}

func TestPlacesOfAFuture(t *testing.T) {
	run(t, func(ctx context.Context) error {
		made := here(1)
		f, r := scheduler.NewFuture[int](ctx)
		require.Equal(t, made, f.CreatedAt())
		require.Empty(t, f.CompletedAt())
		settled := here(1)
		require.NoError(t, r.Complete(1))
		require.Equal(t, settled, f.CompletedAt())
		require.Contains(t, f.String(), made)

		made = here(1)
		g := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 1, nil }, scheduler.Named("maker"))
		require.Equal(t, made, g.CreatedAt())
		require.Contains(t, g.String(), "maker")
		made = here(1)
		e, _ := scheduler.NewExternal[int](ctx)
		require.Equal(t, made, e.CreatedAt())
		made = here(1)
		m := scheduler.Map(g, func(v int) (int, error) { return v, nil })
		require.Equal(t, made, m.CreatedAt())
		made = here(1)
		c := scheduler.Go(ctx, func(context.Context) error { return nil })
		require.Equal(t, made, c.SpawnedAt())
		require.True(t, strings.HasPrefix(c.String(), "coroutine "))
		return nil
	})
}

func TestCancelOfAFuture(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		// One that nobody runs is settled, and what its resolver has comes too late.
		f, r := scheduler.NewFuture[int](ctx)
		waiter := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := f.Await(ctx)
			requireCancelled(t, err, errBoom)
			return nil
		})
		yields(ctx, 2)
		f.Cancel(errBoom)
		f.Cancel(errors.New("second"))
		require.True(t, f.Done())
		require.ErrorIs(t, r.Complete(1), scheduler.ErrCompleted)
		require.NoError(t, waiter.Await(ctx))

		// That of a coroutine cancels it, and settles when that has ended.
		g := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			err := forever(ctx)
			yields(ctx, 2)
			return 3, errors.Join(err, nil)
		})
		yields(ctx, 2)
		g.Cancel(errBoom)
		require.False(t, g.Done())
		_, err := g.Await(ctx)
		requireCancelled(t, err, errBoom)

		h := scheduler.Completed(5)
		h.Cancel(errBoom)
		v, err := h.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 5, v)

		e, _ := scheduler.NewExternal[int](ctx)
		k := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, scheduler.AwaitShutdown(ctx) })
		yields(ctx, 2)
		elsewhere(func() { e.Cancel(errBoom); k.Cancel(errBoom) })
		_, err = e.Await(ctx)
		requireCancelled(t, err, errBoom)
		_, err = k.Await(ctx)
		requireCancelled(t, err, errBoom)
		return nil
	})
}

// Waiting for an external future is no deadlock, once it is completed nothing keeps
// the loop; one nobody waits for does not either.
func TestExternalFuturesHoldTheLoopWhileSomebodyWaits(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		_, _ = scheduler.NewExternal[int](ctx) // nobody waits
		f, r := scheduler.NewExternal[int](ctx)
		time.AfterFunc(time.Millisecond, func() { _ = r.Complete(1) })
		fired, err := scheduler.Suspend(ctx, &flag{}, f)
		require.NoError(t, err)
		require.NotNil(t, fired)
		g, r := scheduler.NewExternal[int](ctx)
		time.AfterFunc(time.Millisecond, func() { _ = r.Complete(1) })
		_, err = scheduler.AwaitAll(ctx, g, f)
		require.NoError(t, err)
		_, err = scheduler.Suspend(ctx, &flag{})
		return err
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
}

// An ordinary future does not keep the loop alive: waiting for one that nobody
// completes is a deadlock.
func TestFuturesDoNotHoldTheLoop(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(ctx)
		return err
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
}

// A future outlives its scheduler.
func TestFuturesAfterTheEndOfTheScheduler(t *testing.T) {
	clean(t)
	var f, g, mapped, spawned *scheduler.Future[int]
	var r *scheduler.Resolver[int]
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error {
		f, r = scheduler.NewFuture[int](ctx)
		g, _ = scheduler.NewFuture[int](ctx)
		mapped = scheduler.Map(f, func(v int) (int, error) { return 2 * v, nil })
		spawned = scheduler.Spawn(ctx, func(context.Context) (int, error) { return 8, nil })
		return nil
	}))
	v, err := spawned.Await(t.Context())
	require.NoError(t, err)
	require.Equal(t, 8, v)
	done := make(chan error)
	go func() { _, err := f.Await(context.Background()); done <- err }()
	require.NoError(t, r.Complete(1))
	require.NoError(t, <-done)
	g.Cancel(errBoom)
	_, err = g.Await(t.Context())
	requireCancelled(t, err, errBoom)
	_, err = mapped.Await(t.Context())
	require.ErrorIs(t, err, scheduler.ErrFinished, "there is no loop to run it")
	_, err = scheduler.Map(spawned, func(v int) (int, error) { return v, nil }).Await(t.Context())
	require.ErrorIs(t, err, scheduler.ErrFinished)
}

func ExampleFuture_Await() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f, r := scheduler.NewExternal[string](ctx)
		go func() { _ = r.Complete("from another goroutine") }()
		fmt.Println(f.Await(ctx))
		return nil
	})
	// Output: from another goroutine <nil>
}
