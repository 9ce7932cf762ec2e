package taskgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestDiscardKeepsNoResults(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard(), taskgroup.Concurrency(2))
		for i := range 10 {
			require.NoError(t, g.Spawn(ctx, after(1, value(i))))
		}
		require.Equal(t, 10, g.Count())
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Zero(t, results.Len())
		require.Zero(t, g.GetResults().Len())
		require.Zero(t, g.Count(), "those not settled")
		require.True(t, g.IsFinished())
	})
}

func TestDiscardReportsAnErrorWhenItHappens(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard())
		var got []error
		g.Scope().OnError(func(c *scheduler.Coroutine, err error) {
			require.Equal(t, scheduler.Finished, c.State())
			got = append(got, err)
		})
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) { panic(errBang) }))
		require.NoError(t, mustFail(g.All().Await(ctx)))
		require.Len(t, got, 2)
		keys := map[int]error{}
		for _, err := range got {
			var te *taskgroup.TaskError[int]
			require.ErrorAs(t, err, &te)
			keys[te.Key] = te.Err
		}
		require.Same(t, errBoom, keys[0])
		require.ErrorIs(t, keys[1], errBang)
		require.Empty(t, g.GetErrors())
		require.NoError(t, g.Dispose())
		require.Len(t, got, 2, "once")
	})
}

func TestDiscardShutsDownWhereNobodyTakesAnError(t *testing.T) {
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx, taskgroup.Discard())
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		return scheduler.AwaitShutdown(ctx)
	})
	require.Len(t, reported(err), 1)
	require.ErrorIs(t, err, errBoom)
}

func TestDiscardSuppressesErrorsWhereItIsToldTo(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard())
		g.SuppressErrors()
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		_, err := g.All().Await(ctx)
		require.NoError(t, err)
	})
}

func TestDiscardFreesAKeyWhenItsTaskHasSettled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.NewKeyed[string, int](ctx, taskgroup.Discard(), taskgroup.Concurrency(1))
		require.NoError(t, g.SpawnWithKey(ctx, "a", after(2, value(1))))
		require.NoError(t, g.SpawnWithKey(ctx, "b", value(2)))
		require.ErrorIs(t, g.SpawnWithKey(ctx, "a", value(1)), taskgroup.ErrDuplicateKey)
		require.ErrorIs(t, g.SpawnWithKey(ctx, "b", value(1)), taskgroup.ErrDuplicateKey)
		require.NoError(t, mustFail(g.All().Await(ctx)))
		require.NoError(t, g.SpawnWithKey(ctx, "a", value(1)))
		require.NoError(t, g.SpawnWithKey(ctx, "b", parked))
		g.Cancel(nil)
		require.ErrorIs(t, mustFail(g.All().Await(ctx)), context.Canceled)
	})
}

func TestDiscardStreamsWhatSettlesWhileALoopRuns(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard(), taskgroup.Concurrency(2))
		require.NoError(t, g.Spawn(ctx, value(-1)))
		require.NoError(t, mustFail(g.All().Await(ctx)))
		for i := 1; i < 10; i++ {
			task := after(1, value(i))
			if i == 5 {
				task = after(1, failing(errBoom))
			}
			require.NoError(t, g.Spawn(ctx, task))
		}
		g.Seal()
		seen := map[int]bool{}
		for key, r := range g.Each(ctx) {
			seen[key] = true
			if key == 5 {
				require.Same(t, errBoom, r.Err)
			} else {
				require.Equal(t, key, r.Value)
			}
		}
		require.Len(t, seen, 9)
		require.False(t, seen[0], "it had settled before")
	})
}

func TestDiscardReportsTheErrorsThatALoopLeft(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard())
		var got []error
		g.Scope().OnError(func(_ *scheduler.Coroutine, err error) { got = append(got, err) })
		for range 3 {
			require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		}
		for _, r := range g.Each(ctx) {
			require.Same(t, errBoom, r.Err)
			for !g.IsFinished() {
				settle(ctx, 1)
			}
			require.Empty(t, got)
			break
		}
		require.Len(t, got, 2)
	})
}

func TestDiscardRacesAndRemembersTheFirst(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard())
		require.ErrorIs(t, mustFail(g.Race().Await(ctx)), taskgroup.ErrNoTasks)
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		require.ErrorIs(t, mustFail(g.Race().Await(ctx)), errBoom, "given to who waited, and not reported")
		require.NoError(t, g.Spawn(ctx, value(2)))
		v, err := g.Any().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, v)
		require.ErrorIs(t, mustFail(g.Race().Await(ctx)), errBoom)
	})
}

func TestDiscardAnyFailsWithWhatItSaw(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Discard())
		g.SuppressErrors()
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		require.NoError(t, g.Spawn(ctx, failing(errBang)))
		err := mustFail(g.Any().Await(ctx))
		require.ErrorIs(t, err, errBoom)
		require.ErrorIs(t, err, errBang)
		_, errs := failures[int](t, mustFail(g.Any().Await(ctx)))
		require.Len(t, errs, 1, "the first alone is remembered")
	})
}
