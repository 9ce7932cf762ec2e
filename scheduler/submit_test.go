package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// serving runs a scheduler that waits to be shut down, until the test has ended.
// What it leaves behind is for the test to look for, with clean, before the first.
func serving(t testing.TB, opts ...scheduler.Option) *scheduler.Scheduler {
	t.Helper()
	s := scheduler.New(opts...)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(context.Background(), scheduler.AwaitShutdown) }()
	t.Cleanup(func() {
		s.Shutdown(nil)
		require.NoError(t, <-ended)
	})
	return s
}

func answer(context.Context) (int, error) { return 42, nil }

func TestSubmitFromAnotherGoroutine(t *testing.T) {
	clean(t)
	s := serving(t)
	f := scheduler.Submit(s, func(ctx context.Context) (string, error) {
		if err := scheduler.Yield(ctx); err != nil {
			return "", err
		}
		c := scheduler.Current(ctx)
		return c.Name() + " " + c.State().String(), nil
	}, scheduler.Named("guest"))
	v, err := f.Await(context.Background())
	require.NoError(t, err)
	require.Equal(t, "guest running", v)
	require.Contains(t, f.CreatedAt(), "submit_test.go:")
}

func TestSubmitFromManyGoroutines(t *testing.T) {
	clean(t)
	s := serving(t)
	shared := 0 // state of the loop: no lock
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				_, err := scheduler.Submit(s, func(ctx context.Context) (int, error) {
					before := shared
					shared++
					return before, nil
				}).Await(context.Background())
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	n, err := scheduler.Submit(s, func(context.Context) (int, error) { return shared, nil }).Await(context.Background())
	require.NoError(t, err)
	require.Equal(t, 800, n)
}

func TestSubmitFails(t *testing.T) {
	clean(t)
	s := serving(t, scheduler.WithLogger(nil))
	_, err := scheduler.Submit(s, func(context.Context) (int, error) { return 1, errStop }).Await(context.Background())
	require.Equal(t, errStop, err)
	_, err = scheduler.Submit(s, func(context.Context) (int, error) { panic(errStop) }).Await(context.Background())
	var p *scheduler.PanicError
	require.ErrorAs(t, err, &p)
}

// From the loop itself it starts as a spawn does, however soon main ends.
func TestSubmitOnTheLoop(t *testing.T) {
	clean(t)
	s := scheduler.New()
	ran := false
	require.NoError(t, s.Run(context.Background(), func(context.Context) error {
		f := scheduler.Submit(s, func(context.Context) (int, error) { ran = true; return 0, nil })
		require.False(t, ran)
		require.False(t, f.Done())
		return nil
	}))
	require.True(t, ran)
}

func TestSubmitBeforeRunQueues(t *testing.T) {
	clean(t)
	s := scheduler.New()
	f := scheduler.Submit(s, answer)
	require.False(t, f.Done())
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		v, err := f.Await(ctx)
		require.Equal(t, 42, v)
		return err
	}))
}

func TestSubmitIntoAScope(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		_, err := scheduler.Offload(ctx, func(off context.Context) (int, error) {
			f := scheduler.Submit(s, func(ctx context.Context) (int, error) {
				require.Same(t, sc, scheduler.Current(ctx).Scope())
				sc.Cancel(errStop)
				return 0, scheduler.Yield(ctx)
			}, scheduler.In(sc))
			_, err := f.Await(off)
			require.ErrorIs(t, err, errStop)
			return f.Await(off)
		}).Await(ctx)
		require.ErrorIs(t, err, errStop)
		_, err = scheduler.Submit(s, answer, scheduler.In(sc)).Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrScopeClosed)
		return nil
	}))
}

func TestSubmitAfterTheEnd(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.NoError(t, s.Run(context.Background(), scheduler.Yield))
	_, err := scheduler.Submit(s, answer).Await(context.Background())
	require.ErrorIs(t, err, scheduler.ErrFinished)
}

// One that races with the end has an outcome, whatever it is.
func TestSubmitDuringTheEnd(t *testing.T) {
	clean(t)
	for range 200 {
		s := scheduler.New()
		var submitting sync.WaitGroup
		for range 3 {
			submitting.Go(func() {
				for {
					f := scheduler.Submit(s, answer)
					plus := scheduler.Map(f, func(v int) (int, error) { return v + 1, nil })
					v, err := f.Await(context.Background())
					if _, mapped := plus.Await(context.Background()); (mapped == nil) != (err == nil) && !errors.Is(mapped, context.Canceled) && !errors.Is(mapped, scheduler.ErrFinished) {
						t.Errorf("%v, but its derived future: %v", err, mapped)
					}
					if err == nil && v == 42 {
						continue
					}
					if !errors.Is(err, scheduler.ErrFinished) && !errors.Is(err, scheduler.ErrScopeClosed) {
						t.Error(v, err)
					}
					return
				}
			})
		}
		require.NoError(t, s.Run(context.Background(), scheduler.Yield))
		submitting.Wait()
	}
}

// A failure that nobody has looked at is Run's.
func TestSubmitFailureThatNobodyLooksAt(t *testing.T) {
	clean(t)
	s := scheduler.New()
	scheduler.Submit(s, func(context.Context) (int, error) { return 0, errStop })
	require.ErrorIs(t, s.Run(context.Background(), scheduler.Yield), errStop)
}

// Cancelled before it has reached the loop it never runs; afterwards it is
// cancelled like any other.
func TestSubmitCancelled(t *testing.T) {
	clean(t)
	s := scheduler.New()
	early := scheduler.Submit(s, func(context.Context) (int, error) { t.Error("ran"); return 0, nil })
	early.Cancel(errStop)
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		_, err := early.Await(ctx)
		require.ErrorIs(t, err, errStop)

		var onItsWay *scheduler.Future[int]
		_, err = scheduler.Offload(ctx, func(context.Context) (int, error) {
			err := s.Post(func() {
				defer func() { onItsWay.Cancel(errStop) }() // on the loop, before it is there
				made := make(chan struct{})
				go func() {
					onItsWay = scheduler.Submit(s, func(context.Context) (int, error) { t.Error("ran"); return 0, nil })
					close(made)
				}()
				<-made
			})
			return 0, err
		}).Await(ctx)
		require.NoError(t, err)
		_, err = onItsWay.Await(ctx)
		require.ErrorIs(t, err, errStop)

		began, r := scheduler.NewFuture[int](ctx)
		late := scheduler.Submit(s, func(ctx context.Context) (int, error) {
			_ = r.Complete(0)
			return 0, scheduler.AwaitShutdown(ctx)
		})
		_, _ = began.Await(ctx)
		_, err = scheduler.Offload(ctx, func(off context.Context) (int, error) {
			late.Cancel(errStop)
			return late.Await(off)
		}).Await(ctx)
		require.ErrorIs(t, err, errStop)
		return nil
	}))
}

func TestSubmitMisuse(t *testing.T) {
	require.Panics(t, func() { scheduler.Submit(nil, answer) })
	require.Panics(t, func() { scheduler.Submit[int](scheduler.New(), nil) })
}

func ExampleSubmit() {
	s := scheduler.New()
	ended := make(chan error)
	go func() { ended <- s.Run(context.Background(), scheduler.AwaitShutdown) }()

	visits := 0 // belongs to the loop
	visit := func(context.Context) (int, error) {
		visits++
		return visits, nil
	}
	for range 2 {
		n, err := scheduler.Submit(s, visit).Await(context.Background())
		fmt.Println(n, err)
	}
	s.Shutdown(nil)
	fmt.Println(<-ended)
	_, err := scheduler.Submit(s, visit).Await(context.Background())
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// 2 <nil>
	// <nil>
	// scheduler: finished
}
