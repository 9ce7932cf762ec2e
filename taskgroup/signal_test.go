package taskgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// A deadlock's report says what of a group was waited for.
func TestWaitsOfAGroupAreNamedInDumps(t *testing.T) {
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
		never, _ := scheduler.NewFuture[int](ctx)
		task := func(ctx context.Context) (int, error) { return never.Await(ctx) }
		require.NoError(t, g.Spawn(ctx, task))
		require.NoError(t, g.Spawn(ctx, task))
		scheduler.Go(ctx, func(ctx context.Context) error { return g.Spawn(ctx, task) })
		scheduler.Go(ctx, func(ctx context.Context) error {
			for range g.Each(ctx) {
				t.Error("yielded")
			}
			return nil
		})
		_, err := g.All().Await(ctx)
		return err
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead)
	require.ErrorContains(t, dead, "waits for room in the queue of a task group")
	require.ErrorContains(t, dead, "waits for the next task of a group")
	require.ErrorContains(t, dead, "signal_test.go")
}
