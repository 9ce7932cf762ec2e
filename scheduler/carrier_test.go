package scheduler_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/microtask"
	"github.com/trueasync/trueasync-go/scheduler"
)

// A context that exits, in a Goexit, runs one more tick: its callbacks are the
// loop's as all others are.
func TestCallbacksAfterAGoexitRunOnTheLoop(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		told := false
		c := scheduler.Go(ctx, func(context.Context) error {
			s.Microtask(microtask.New(func() error {
				told = s.OnLoop()
				return nil
			}, nil))
			runtime.Goexit()
			return nil
		})
		require.ErrorIs(t, c.Await(ctx), scheduler.ErrGoexit)
		require.True(t, told)
		return nil
	})
}
