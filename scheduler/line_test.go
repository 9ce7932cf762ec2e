package scheduler_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// waiter is one thing that coroutines wait for in a line: take waits, give lets the
// next one have it.
type waiter struct {
	take func(ctx context.Context) error
	give func()
}

// lines are all of them, taken already, so that whoever comes waits.
func lines(t testing.TB, ctx context.Context) map[string]waiter {
	t.Helper()
	mutex, semaphore := &scheduler.Mutex{}, scheduler.NewSemaphore(1)
	receive, send := scheduler.NewChannel[int](ctx, 0), scheduler.NewChannel[int](ctx, 0)
	require.NoError(t, mutex.Lock(ctx))
	require.NoError(t, semaphore.Acquire(ctx, 1))
	return map[string]waiter{
		"mutex":     {mutex.Lock, mutex.Unlock},
		"semaphore": {func(ctx context.Context) error { return semaphore.Acquire(ctx, 1) }, func() { semaphore.Release(1) }},
		"receive":   {func(ctx context.Context) error { _, err := receive.Recv(ctx); return err }, func() { receive.TrySend(1) }},
		"send":      {func(ctx context.Context) error { return send.Send(ctx, 1) }, func() { send.TryRecv() }},
	}
}

// queue has n coroutines wait for w, one after another; had is who has got it.
func queue(t testing.TB, ctx context.Context, w waiter, n int) (all []*scheduler.Coroutine, had *[]int) {
	t.Helper()
	had = new([]int)
	for i := range n {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			err := w.take(ctx)
			if err == nil {
				*had = append(*had, i)
			}
			return err
		})
		for c.State() != scheduler.Suspended {
			require.NoError(t, scheduler.Yield(ctx))
		}
		all = append(all, c)
	}
	return all, had
}

// eachLine runs test for every kind of line, in many orders.
func eachLine(t *testing.T, test func(t *testing.T, ctx context.Context, kind string, w waiter)) {
	for _, kind := range []string{"mutex", "semaphore", "receive", "send"} {
		t.Run(kind, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				test(t, ctx, kind, lines(t, ctx)[kind])
				return nil
			})
		})
	}
}

func TestLineIsFirstComeFirstServed(t *testing.T) {
	eachLine(t, func(t *testing.T, ctx context.Context, _ string, w waiter) {
		_, had := queue(t, ctx, w, 5)
		for i := range 5 {
			w.give()
			settle(t, ctx)
			require.Len(t, *had, i+1)
			require.Equal(t, i, (*had)[i])
		}
	})
}

func TestFault_TA3_RemovalFromTheMiddleKeepsTheOrder(t *testing.T) {
	for gone := range 5 {
		t.Run(fmt.Sprint(gone), func(t *testing.T) {
			eachLine(t, func(t *testing.T, ctx context.Context, _ string, w waiter) {
				all, had := queue(t, ctx, w, 5)
				all[gone].Cancel(nil)
				if gone%2 == 0 {
					settle(t, ctx) // it has left; otherwise it is about to
				}
				var want []int
				for i := range 5 {
					if i != gone {
						want = append(want, i)
						w.give()
						settle(t, ctx)
					}
				}
				require.Equal(t, want, *had)
			})
		})
	}
}

// One that was woken and is cancelled before it runs passes on what it was given;
// nobody deadlocks.
func TestFault_TA1_GrantOfACancelledWaiterPassesOn(t *testing.T) {
	eachLine(t, func(t *testing.T, ctx context.Context, kind string, w waiter) {
		all, had := queue(t, ctx, w, 3)
		w.give()
		all[0].Cancel(errStop)
		err := all[0].Await(ctx)
		settle(t, ctx)
		if kind == "send" { // its value was taken, whatever came after
			require.NoError(t, err)
			require.Equal(t, []int{0}, *had)
			w.give()
			settle(t, ctx)
			require.Equal(t, []int{0, 1}, *had)
		} else {
			require.ErrorIs(t, err, errStop)
			require.Equal(t, []int{1}, *had)
		}
		all[1].Cancel(nil) // over: nothing comes of it
		w.give()
		require.NoError(t, all[2].Await(ctx))
	})
}

// All who wait are cancelled at once: none is in the way of those who come later,
// and what is freed meanwhile goes to nobody of them.
func TestLineOfCancelledWaiters(t *testing.T) {
	eachLine(t, func(t *testing.T, ctx context.Context, kind string, w waiter) {
		all, had := queue(t, ctx, w, 200)
		for _, c := range all {
			c.Cancel(nil)
		}
		late, hadLate := queue(t, ctx, w, 1)
		w.give()
		require.NoError(t, late[0].Await(ctx))
		require.Empty(t, *had)
		require.Len(t, *hadLate, 1)
	})
}

// Nobody but Suspend can be resumed out of turn.
func TestLineIsNotLeftByResume(t *testing.T) {
	eachLine(t, func(t *testing.T, ctx context.Context, _ string, w waiter) {
		all, had := queue(t, ctx, w, 2)
		require.Error(t, all[0].Resume(nil))
		w.give()
		require.NoError(t, all[0].Resume(nil), "it is ready")
		settle(t, ctx)
		require.Equal(t, []int{0}, *had)
		w.give()
		require.NoError(t, all[1].Await(ctx))
	})
}

// An error given to one that has been granted something is its error, and the
// grant passes on.
func TestLineGrantOfAResumedWaiterPassesOn(t *testing.T) {
	eachLine(t, func(t *testing.T, ctx context.Context, kind string, w waiter) {
		if kind == "send" {
			return // it stands: the value was taken
		}
		all, had := queue(t, ctx, w, 2)
		w.give()
		var failure error
		scheduler.Current(ctx).Scope().OnError(func(_ *scheduler.Coroutine, err error) { failure = err })
		require.NoError(t, all[0].Resume(errStop))
		settle(t, ctx)
		require.Equal(t, errStop, failure)
		require.NoError(t, all[1].Await(ctx))
		require.Equal(t, []int{1}, *had)
	})
}
