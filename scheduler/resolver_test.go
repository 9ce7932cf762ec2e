package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// A future is settled once; a second settling fails and names the place of the
// first.
func TestAFutureSettlesOnce(t *testing.T) {
	settlings := map[string]func(r *scheduler.Resolver[int]) error{
		"Complete": func(r *scheduler.Resolver[int]) error { return r.Complete(1) },
		"Fail":     func(r *scheduler.Resolver[int]) error { return r.Fail(errBoom) },
	}
	for firstName, first := range settlings {
		for secondName, second := range settlings {
			t.Run(firstName+", "+secondName, func(t *testing.T) {
				run(t, func(ctx context.Context) error {
					f, r := scheduler.NewFuture[int](ctx)
					require.Same(t, f, r.Future())
					require.NoError(t, first(r))
					err := second(r)
					require.ErrorIs(t, err, scheduler.ErrCompleted)
					require.ErrorContains(t, err, "resolver_test.go:")
					require.ErrorContains(t, err, f.CompletedAt())
					v, err := f.Await(ctx)
					if firstName == "Complete" {
						require.NoError(t, err)
						require.Equal(t, 1, v)
					} else {
						require.Equal(t, errBoom, err)
						require.Zero(t, v)
					}
					return nil
				})
			})
		}
	}
}

// Of many goroutines that settle a future one does.
func TestSettlingIsSafeFromAnyGoroutine(t *testing.T) {
	for range 50 {
		run(t, func(ctx context.Context) error {
			f, r := scheduler.NewExternal[int](ctx)
			var won atomic.Int64
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					err := r.Complete(i + 1)
					if err == nil {
						won.Add(int64(i + 1))
					} else if !errors.Is(err, scheduler.ErrCompleted) {
						t.Error(err)
					}
				})
			}
			v, err := f.Await(ctx)
			require.NoError(t, err)
			all.Wait()
			require.EqualValues(t, won.Load(), v)
			return nil
		})
	}
}

// Settling from another goroutine loses no waiter, however the two meet.
func TestSettlingMeetsAwaiting(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for i := range 2000 {
			f, r := scheduler.NewExternal[int](ctx)
			go func() { _ = r.Complete(i) }()
			if i%3 == 0 {
				require.NoError(t, scheduler.Yield(ctx))
			}
			v, err := f.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, i, v)
		}
		return nil
	})
}

func TestSettledFromTheStart(t *testing.T) {
	v, err := scheduler.Completed(3).Await(context.Background())
	require.NoError(t, err)
	require.Equal(t, 3, v)
	_, err = scheduler.Failed[int](errBoom).Await(context.Background())
	require.Equal(t, errBoom, err)
	require.True(t, scheduler.Completed(3).Done())
	require.Panics(t, func() { scheduler.Failed[int](nil) })
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		before := s.Stats().Switches
		v, err := scheduler.Completed(4).Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 4, v)
		_, err = scheduler.Suspend(ctx, scheduler.Failed[int](errBoom))
		require.Equal(t, errBoom, err)
		var told error
		scheduler.Failed[int](errBoom).Subscribe(func(err error) { told = err })()
		require.Equal(t, errBoom, told)
		require.Equal(t, before, s.Stats().Switches)
		_, r := scheduler.NewFuture[int](ctx)
		require.Panics(t, func() { _ = r.Fail(nil) })
		require.Panics(t, func() { scheduler.NewFuture[int](context.Background()) })
		require.Panics(t, func() { scheduler.NewExternal[int](context.Background()) })
		return nil
	})
}

func TestFutureSubscribe(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		var got []string
		f.Subscribe(func(err error) { got = append(got, fmt.Sprint("first ", err)) })
		undo := f.Subscribe(func(error) { got = append(got, "undone") })
		f.Subscribe(func(err error) { got = append(got, fmt.Sprint("second ", err)) })
		undo()
		undo()
		require.NoError(t, r.Fail(errBoom))
		f.Subscribe(func(err error) { got = append(got, fmt.Sprint("late ", err)) })
		require.Equal(t, []string{"first boom", "second boom", "late boom"}, got)
		elsewhere(func() { require.Panics(t, func() { f.Subscribe(func(error) {}) }) })
		return nil
	})
}

func ExampleNewFuture() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		scheduler.Go(ctx, func(context.Context) error { return r.Complete(42) })
		fmt.Println(f.Await(ctx))
		fmt.Println(errors.Is(r.Complete(43), scheduler.ErrCompleted))
		return nil
	})
	// Output:
	// 42 <nil>
	// true
}

func ExampleResolver_Fail() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		fmt.Println("first:", r.Fail(errors.New("no answer")))
		fmt.Println("second:", errors.Is(r.Complete(42), scheduler.ErrCompleted))
		fmt.Println(f.Await(ctx))
		return nil
	})
	// Output:
	// first: <nil>
	// second: true
	// 0 no answer
}

// An error that nobody looks at is returned by Run, unless nobody wants it.
func ExampleFuture_Ignore() {
	refresh := func(context.Context) (int, error) { return 0, errors.New("no luck") }
	fmt.Println(scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Spawn(ctx, refresh)
		return nil
	}))
	fmt.Println(scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Spawn(ctx, refresh).Ignore()
		return nil
	}))
	// Output:
	// no luck
	// <nil>
}
