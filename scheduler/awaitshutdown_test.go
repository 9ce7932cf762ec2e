package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// It counts as work, however long nothing else happens, and ends with its ctx.
func TestAwaitShutdownIsNoDeadlock(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		c := scheduler.Go(ctx, scheduler.AwaitShutdown)
		never, _ := scheduler.NewFuture[int](ctx)
		go func() { _ = s.Post(func() { c.Cancel(errStop) }) }()
		require.ErrorIs(t, c.Await(ctx), errStop)
		late, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		require.ErrorIs(t, scheduler.AwaitShutdown(late), context.DeadlineExceeded)
		require.ErrorIs(t, scheduler.AwaitShutdown(late), context.DeadlineExceeded, "it has ended")
		require.ErrorIs(t, scheduler.AwaitShutdown(context.Background()), scheduler.ErrNotCoroutine)
		require.False(t, never.Done())
		return nil
	})
}

// When it has returned it holds the loop no more.
func TestAwaitShutdownHoldsOnlyWhileItWaits(t *testing.T) {
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, scheduler.AwaitShutdown)
		settle(t, ctx)
		c.Cancel(nil)
		_ = c.Await(ctx)
		_, err := scheduler.Suspend(ctx)
		return err
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead)
}

func ExampleAwaitShutdown() {
	s := scheduler.New()
	time.AfterFunc(time.Millisecond, func() { s.Shutdown(nil) }) // a signal, say
	err := s.Run(context.Background(), func(ctx context.Context) error {
		fmt.Println("serving")
		err := scheduler.AwaitShutdown(ctx)
		fmt.Println(err)
		return err
	})
	fmt.Println(err)
	// Output:
	// serving
	// scheduler: cancelled: scheduler: shutdown
	// <nil>
}
