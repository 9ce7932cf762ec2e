package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// after is a future that settles after so many virtual seconds: with that number,
// or, where it is negative, with an error that says so.
func after(ctx context.Context, seconds int) *scheduler.Future[int] {
	return scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
		if err := scheduler.Sleep(ctx, time.Duration(max(seconds, -seconds))*time.Second); err != nil {
			return 0, err
		}
		if seconds < 0 {
			return 0, fmt.Errorf("failed after %d", -seconds)
		}
		return seconds, nil
	})
}

// inEveryState calls check with futures that settle after those times: with none,
// some and all of them settled from the beginning.
func inEveryState(t *testing.T, seconds []int, check func(ctx context.Context, fs []*scheduler.Future[int])) {
	t.Helper()
	for _, settled := range []time.Duration{0, 2500 * time.Millisecond, time.Hour} {
		t.Run(fmt.Sprintf("%v, asked after %v", seconds, settled), func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				var fs []*scheduler.Future[int]
				for _, s := range seconds {
					fs = append(fs, after(ctx, s))
				}
				require.NoError(t, scheduler.Sleep(ctx, settled))
				check(ctx, fs)
				for _, f := range fs {
					f.Ignore() // what is told of is another test's concern
				}
				return nil
			}, virtual())
		})
	}
}

func TestFault_TA7_AwaitAll(t *testing.T) {
	inEveryState(t, []int{3, 1, 2}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		got, err := scheduler.AwaitAll(ctx, fs...)
		require.NoError(t, err)
		require.Equal(t, []int{3, 1, 2}, got, "in the order of the arguments")
	})
	inEveryState(t, []int{3, -1, 2}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		got, err := scheduler.AwaitAll(ctx, fs...)
		require.EqualError(t, err, "failed after 1")
		require.Nil(t, got)
	})
	run(t, func(ctx context.Context) error {
		got, err := scheduler.AwaitAll[int](ctx)
		require.NoError(t, err)
		require.Empty(t, got)
		f := after(ctx, 1)
		got, err = scheduler.AwaitAll(ctx, f, f)
		require.Equal(t, []int{1, 1}, got, "the same one twice")
		return err
	}, virtual())
}

func TestAwaitAllReturnsAtTheFirstError(t *testing.T) {
	run(t, func(ctx context.Context) error {
		began := scheduler.Current(ctx).Scheduler().Now()
		slow := after(ctx, 100)
		_, err := scheduler.AwaitAll(ctx, slow, after(ctx, -2), after(ctx, -1))
		require.EqualError(t, err, "failed after 1")
		require.Equal(t, time.Second, scheduler.Current(ctx).Scheduler().Now().Sub(began))
		require.False(t, slow.Done())
		_, err = slow.Await(ctx)
		return err // what it passed over runs on, and counts as seen
	}, virtual())
}

func TestFault_TA7_AwaitAny(t *testing.T) {
	inEveryState(t, []int{4, 3, 5}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		settled := 0
		for _, f := range fs {
			if f.Done() {
				settled++
			}
		}
		v, err := scheduler.AwaitAny(ctx, fs...)
		require.NoError(t, err)
		if settled == 3 {
			require.Equal(t, 4, v, "of those that have settled the first argument")
		} else {
			require.Equal(t, 3, v, "the first to settle")
		}
	})
	inEveryState(t, []int{-1, 30, 50}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		_, err := scheduler.AwaitAny(ctx, fs...)
		require.EqualError(t, err, "failed after 1", "with whatever it settles")
	})
	run(t, func(ctx context.Context) error {
		_, err := scheduler.AwaitAny[int](ctx)
		require.Error(t, err)
		return nil
	})
}

func TestFault_TA7_AwaitFirst(t *testing.T) {
	inEveryState(t, []int{-1, 3, 2}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		v, err := scheduler.AwaitFirst(ctx, fs...)
		require.NoError(t, err)
		if fs[1].Done() {
			require.Contains(t, []int{2, 3}, v)
		} else {
			require.Equal(t, 2, v)
		}
	})
	inEveryState(t, []int{-3, -1, -2}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		_, err := scheduler.AwaitFirst(ctx, fs...)
		var all *scheduler.CompositeError
		require.ErrorAs(t, err, &all)
		require.Len(t, all.Errs, 3)
		for i, want := range []string{"failed after 3", "failed after 1", "failed after 2"} {
			require.EqualError(t, all.Errs[i], want, "in the order of the arguments")
		}
	})
	run(t, func(ctx context.Context) error {
		_, err := scheduler.AwaitFirst[int](ctx)
		require.Error(t, err)
		_, err = scheduler.AwaitFirst(ctx, scheduler.Failed[int](errBoom))
		var all *scheduler.CompositeError
		require.ErrorAs(t, err, &all, "also where there is one alone")
		require.Equal(t, []error{errBoom}, all.Errs)
		return nil
	})
}

func TestFault_TA7_AwaitN(t *testing.T) {
	inEveryState(t, []int{3, -1, 2, 4}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		got, err := scheduler.AwaitN(ctx, 2, fs...)
		require.NoError(t, err)
		switch {
		case fs[3].Done():
			require.Equal(t, map[int]int{0: 3, 2: 2}, got, "of those that have settled the first arguments")
		default:
			require.Equal(t, map[int]int{0: 3, 2: 2}, got, "the first two")
		}
	})
	inEveryState(t, []int{-3, 1, -2, 40}, func(ctx context.Context, fs []*scheduler.Future[int]) {
		asked := scheduler.Current(ctx).Scheduler().Now()
		before := fs[0].Done()
		got, err := scheduler.AwaitN(ctx, 3, fs...)
		require.Nil(t, got)
		if !before {
			require.EqualError(t, err, "failed after 2", "the first")
			require.Less(t, scheduler.Current(ctx).Scheduler().Now().Sub(asked), 4*time.Second, "once n is out of reach")
		} else {
			require.EqualError(t, err, "failed after 3")
		}
	})
	run(t, func(ctx context.Context) error {
		got, err := scheduler.AwaitN(ctx, 0, scheduler.Failed[int](errBoom))
		require.NoError(t, err)
		require.Empty(t, got)
		got, err = scheduler.AwaitN[int](ctx, 0)
		require.NoError(t, err)
		require.Empty(t, got)
		_, err = scheduler.AwaitN(ctx, 2, scheduler.Completed(1))
		require.Error(t, err)
		_, err = scheduler.AwaitN(ctx, -1, scheduler.Completed(1))
		require.Error(t, err)
		return nil
	})
}

// What they pass over counts as seen; what they have not come to does not.
func TestWhatAwaitsPassOver(t *testing.T) {
	clean(t)
	main := func(wait func(ctx context.Context, fs ...*scheduler.Future[int])) error {
		return scheduler.Run(t.Context(), func(ctx context.Context) error {
			wait(ctx, after(ctx, 1), after(ctx, -2), after(ctx, -3))
			return nil
		}, virtual())
	}
	require.NoError(t, main(func(ctx context.Context, fs ...*scheduler.Future[int]) { _, _ = scheduler.AwaitAny(ctx, fs...) }))
	require.NoError(t, main(func(ctx context.Context, fs ...*scheduler.Future[int]) { _, _ = scheduler.AwaitFirst(ctx, fs...) }))
	require.NoError(t, main(func(ctx context.Context, fs ...*scheduler.Future[int]) { _, _ = scheduler.AwaitN(ctx, 1, fs...) }))
	require.NoError(t, main(func(ctx context.Context, fs ...*scheduler.Future[int]) { _, _ = scheduler.AwaitAll(ctx, fs...) }))
	err := main(func(ctx context.Context, fs ...*scheduler.Future[int]) {
		short, cancel := scheduler.WithTimeout(ctx, 2500*time.Millisecond)
		defer cancel()
		_, err := scheduler.AwaitN(short, 2, fs...)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	var all *scheduler.CompositeError
	require.ErrorAs(t, err, &all)
	require.Len(t, all.Errs, 2, "the waiting was cancelled: nobody has looked at either")
}

// They serve goroutines as well as coroutines.
func TestAwaitManyFromAGoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		fs := []*scheduler.Future[int]{after(ctx, 0), scheduler.Completed(9), scheduler.Failed[int](errBoom)}
		off(ctx, func() {
			bg := context.Background()
			all, err := scheduler.AwaitAll(bg, fs[:2]...)
			if err != nil || len(all) != 2 || all[1] != 9 {
				t.Error(all, err)
			}
			if v, err := scheduler.AwaitAny(bg, fs...); err != nil || v == 9 && !fs[0].Done() {
				t.Error(v, err)
			}
			if v, err := scheduler.AwaitFirst(bg, fs[2], fs[1]); v != 9 || err != nil {
				t.Error(v, err)
			}
			if _, err := scheduler.AwaitAll(bg, fs...); !errors.Is(err, errBoom) {
				t.Error(err)
			}
		})
		return nil
	})
}

// A woken waiter that is cancelled before it runs gets what has come.
func TestAwaitManyOfAReadyOneThatIsCancelled(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		never, _ := scheduler.NewFuture[int](ctx)
		any := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return scheduler.AwaitAny(ctx, never, f) })
		all := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			_, err := scheduler.AwaitAll(ctx, never, f)
			return 0, err
		})
		yields(ctx, 1)
		require.NoError(t, r.Complete(1))
		any.Cancel(errBoom)
		all.Cancel(errBoom)
		v, err := any.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, v)
		_, err = all.Await(ctx)
		requireCancelled(t, err, errBoom)
		return nil
	})
}

func ExampleAwaitAll() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		square := func(n int) *scheduler.Future[int] {
			return scheduler.Spawn(ctx, func(context.Context) (int, error) { return n * n, nil })
		}
		fmt.Println(scheduler.AwaitAll(ctx, square(2), square(3), square(4)))
		return nil
	})
	// Output: [4 9 16] <nil>
}

func ExampleAwaitAny() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		sleep := func(d time.Duration) *scheduler.Future[time.Duration] {
			return scheduler.Spawn(ctx, func(ctx context.Context) (time.Duration, error) { return d, scheduler.Sleep(ctx, d) })
		}
		slow := sleep(time.Hour)
		fmt.Println(scheduler.AwaitAny(ctx, slow, sleep(time.Millisecond)))
		slow.Cancel(nil)
		return nil
	})
	// Output: 1ms <nil>
}

func ExampleAwaitFirst() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		fmt.Println(scheduler.AwaitFirst(ctx, scheduler.Failed[int](errors.New("mirror down")), scheduler.Completed(1)))
		return nil
	})
	// Output: 1 <nil>
}

func ExampleAwaitN() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		fmt.Println(scheduler.AwaitN(ctx, 2, scheduler.Completed("a"), scheduler.Failed[string](errors.New("lost")), scheduler.Completed("c")))
		return nil
	})
	// Output: map[0:a 2:c] <nil>
}
