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

// parked is a coroutine in Suspend, and what that returned.
func parked(ctx context.Context) (c *scheduler.Coroutine, got *error) {
	got = new(error)
	c = scheduler.Go(ctx, func(ctx context.Context) error {
		_, *got = scheduler.Suspend(ctx, &flag{})
		return nil
	})
	yields(ctx, 1)
	return c, got
}

func TestResume(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, err := range []error{nil, errBoom} {
			c, got := parked(ctx)
			require.Equal(t, scheduler.Suspended, c.State())
			require.NoError(t, c.Resume(err))
			require.Equal(t, scheduler.Ready, c.State())
			require.NoError(t, c.Await(ctx))
			require.Equal(t, err, *got)
		}
		return nil
	})
}

// Of a ready coroutine only the error is merged.
func TestResumeOfAReadyOneMergesErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	cancelled, cancelledToo := &scheduler.CancelledError{Cause: first}, &scheduler.CancelledError{Cause: second}
	for _, tc := range []struct {
		name  string
		given []error
		want  error
	}{
		{"the first failure stays", []error{first, second}, first},
		{"nothing does not replace", []error{first, nil}, first},
		{"what comes after nothing counts", []error{nil, first}, first},
		{"a failure replaces a cancellation", []error{cancelled, first}, first},
		{"never the reverse", []error{first, cancelled}, first},
		{"the first cancellation stays", []error{cancelled, cancelledToo}, cancelled},
		{"all of it", []error{nil, cancelled, cancelledToo, second, first, nil}, second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				s := scheduler.Current(ctx).Scheduler()
				c, got := parked(ctx)
				ready := s.Stats().Ready
				for _, err := range tc.given {
					require.NoError(t, c.Resume(err))
				}
				require.Equal(t, ready+1, s.Stats().Ready, "it is queued once")
				require.NoError(t, c.Await(ctx))
				require.Equal(t, tc.want, *got)
				return nil
			})
		})
	}
}

func TestResumeAndCancel(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c, got := parked(ctx)
		c.Cancel(errBoom)
		require.NoError(t, c.Resume(errors.New("failure")))
		require.NoError(t, c.Await(ctx))
		require.EqualError(t, *got, "failure", "a failure replaces a stored cancellation")

		c, got = parked(ctx)
		require.NoError(t, c.Resume(errors.New("failure")))
		c.Cancel(errBoom)
		require.NoError(t, c.Await(ctx))
		require.EqualError(t, *got, "failure", "never the reverse")

		c, got = parked(ctx)
		require.NoError(t, c.Resume(nil))
		c.Cancel(errBoom)
		require.NoError(t, c.Await(ctx))
		requireCancelled(t, *got, errBoom)
		return nil
	})
}

func TestResumeOfWhatIsNotParked(t *testing.T) {
	run(t, func(ctx context.Context) error {
		self := scheduler.Current(ctx)
		require.ErrorContains(t, self.Resume(nil), "running")
		created := scheduler.Go(ctx, func(context.Context) error { return nil })
		require.ErrorContains(t, created.Resume(nil), "created")
		require.NoError(t, created.Await(ctx))
		require.ErrorContains(t, created.Resume(errBoom), "finished")

		// What waits for something of its own does not get it by a Resume.
		f, r := scheduler.NewFuture[int](ctx)
		waiter := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			created = scheduler.Current(ctx)
			return f.Await(ctx)
		})
		yields(ctx, 1)
		require.Error(t, created.Resume(nil))
		require.NoError(t, r.Complete(7))
		v, err := waiter.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 7, v)
		elsewhere(func() {
			require.PanicsWithError(t, "scheduler: Resume off its loop: "+scheduler.ErrForeignGoroutine.Error(), func() { _ = self.Resume(nil) })
		})
		return nil
	})
}

func TestResumeUnderADerivedCtx(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got error
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, got = scheduler.Suspend(ctx)
			return nil
		})
		yields(ctx, 1)
		require.NoError(t, c.Resume(errBoom))
		require.NoError(t, c.Await(ctx))
		require.Equal(t, errBoom, got)
		return nil
	})
}

func ExampleCoroutine_Resume() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		sleeper := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := scheduler.Suspend(ctx)
			fmt.Println("woken with", err)
			return nil
		})
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		return sleeper.Resume(errors.New("good morning"))
	})
	fmt.Println(err)
	// Output:
	// woken with good morning
	// <nil>
}
