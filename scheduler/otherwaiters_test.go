package scheduler_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Many goroutines and coroutines of another loop wait for a future, before and
// after it is settled; all are told, once.
func TestFutureAwaitedFromEverywhere(t *testing.T) {
	clean(t)
	for _, outcome := range []error{nil, errStop} {
		s, elsewhere := serving(t), serving(t)
		for range 50 {
			gate := make(chan struct{})
			f := scheduler.Submit(s, func(ctx context.Context) (int, error) {
				_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { <-gate; return 0, nil }).Await(ctx)
				return 42, errors.Join(err, outcome)
			})
			check := func(v int, err error) {
				if outcome == nil && v != 42 || !errors.Is(err, outcome) {
					t.Error(v, err)
				}
			}
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					if i == 4 {
						close(gate)
					}
					check(f.Await(context.Background()))
				})
				all.Go(func() {
					check(scheduler.Submit(elsewhere, f.Await).Await(context.Background()))
				})
			}
			all.Wait()
			check(f.Await(context.Background()))
		}
	}
}

// The end of a waiter's ctx ends its waiting alone.
func TestFutureAwaitFromElsewhereIsCancelled(t *testing.T) {
	clean(t)
	s, elsewhere := serving(t), serving(t)
	f := scheduler.Submit(s, heedShutdown)
	ctx, cancel := context.WithCancelCause(context.Background())
	blocked := make(chan error)
	go func() {
		_, err := f.Await(ctx)
		blocked <- err
	}()
	suspended := scheduler.Submit(elsewhere, func(ctx context.Context) (int, error) {
		sub, stop := scheduler.WithTimeout(ctx, time.Millisecond)
		defer stop()
		return f.Await(sub)
	})
	_, err := suspended.Await(context.Background())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	cancel(errStop)
	err = <-blocked
	require.ErrorIs(t, err, errStop)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, f.Done())
	f.Cancel(errStop)
	_, err = f.Await(context.Background())
	require.ErrorIs(t, err, errStop)
}

func heedShutdown(ctx context.Context) (int, error) { return 0, scheduler.AwaitShutdown(ctx) }

// Waiting for what another loop makes is no deadlock; it ends when that loop does.
func TestFutureOfALoopThatEnds(t *testing.T) {
	clean(t)
	s := scheduler.New()
	f := scheduler.Submit(s, heedShutdown)
	ended := make(chan error)
	go func() { ended <- s.Run(context.Background(), scheduler.AwaitShutdown) }()
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		time.AfterFunc(time.Millisecond, func() { s.Shutdown(errStop) })
		_, err := f.Await(ctx)
		require.ErrorIs(t, err, errStop)
		return nil
	}))
	require.NoError(t, <-ended)
}

// Once what comes from elsewhere is there, waiting for the rest can be a deadlock.
func TestAwaitAllHoldsTheLoopNoLongerThanItMust(t *testing.T) {
	clean(t)
	s := serving(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		external, r := scheduler.NewExternal[int](ctx)
		go func() { _ = r.Complete(1) }()
		never, _ := scheduler.NewFuture[int](ctx)
		_, err := scheduler.AwaitAll(ctx, scheduler.Submit(s, answer), external, never)
		return err
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead)
}

// The loop is not blocked by a wait that cannot be its coroutine's.
func TestAwaitOnTheLoopWithAForeignContextIsRefused(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(context.Background())
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		_, err = scheduler.AwaitAny(context.Background(), scheduler.Failed[int](errStop))
		require.Equal(t, errStop, err, "what is there needs no waiting")
		_, err = scheduler.AwaitAny(context.Background(), f)
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		return nil
	})
}

// A goroutine that awaits a coroutine is told also where the loop has just ended.
func TestCoroutineAwaitedAsItsLoopEnds(t *testing.T) {
	clean(t)
	for range 200 {
		main := make(chan *scheduler.Coroutine, 1)
		outcome := make(chan error)
		go func() { outcome <- (<-main).Await(context.Background()) }()
		require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
			main <- scheduler.Current(ctx)
			return scheduler.Yield(ctx)
		}))
		require.NoError(t, <-outcome)
	}
}

// A failure that comes from outside as the loop ends, and of which nobody is told,
// is returned by Run or was too late for it.
func TestFutureFailedAsItsLoopEnds(t *testing.T) {
	clean(t)
	for range 200 {
		settled := make(chan error, 1)
		err := scheduler.Run(context.Background(), func(ctx context.Context) error {
			_, r := scheduler.NewExternal[int](ctx)
			go func() { settled <- r.Fail(errStop) }()
			return scheduler.Yield(ctx)
		})
		if err != nil {
			require.ErrorIs(t, err, errStop)
		}
		require.NoError(t, <-settled)
	}
}
