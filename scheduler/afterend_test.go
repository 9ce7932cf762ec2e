package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestAfterEndCallsOnTheLoopWhoeverEndsTheCtx(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		derived, cancel := context.WithCancel(ctx)
		called := 0
		scheduler.AfterEnd(derived, func() {
			require.True(t, s.OnLoop())
			called++
		})
		undo := scheduler.AfterEnd(derived, func() { t.Error("called after undo") })
		undo()
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { cancel(); return 0, nil }).Await(ctx)
		require.NoError(t, err)
		for called == 0 {
			require.NoError(t, scheduler.Yield(ctx))
		}
		scheduler.AfterEnd(derived, func() { called++ })
		require.Equal(t, 2, called)
		return nil
	})
}

func TestAfterEndPanicsWithoutACoroutine(t *testing.T) {
	require.Panics(t, func() { scheduler.AfterEnd(context.Background(), func() {}) })
}

func ExampleAfterEnd() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		within, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		scheduler.AfterEnd(within, func() { fmt.Println("told:", within.Err()) })
		return scheduler.Sleep(ctx, 2*time.Millisecond)
	})
	// Output: told: context deadline exceeded
}
