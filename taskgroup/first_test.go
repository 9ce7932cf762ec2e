package taskgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestRaceGivesTheFirstToSettleWheneverItIsAsked(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, after(20, value(1))))
		require.NoError(t, g.Spawn(ctx, after(1, value(2))))
		early := g.Race()
		v, err := early.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, v)
		_, err = g.All().Await(ctx)
		require.NoError(t, err, "the loser ran on")
		for range 2 {
			late := g.Race()
			require.True(t, late.Done())
			v, err = late.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, 2, v)
		}
	})
}

func TestRaceCountsTasksThatAreAddedLater(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		defer g.Cancel(nil)
		require.NoError(t, g.Spawn(ctx, parked))
		race, anyOf := g.Race(), g.Any()
		require.NoError(t, g.Spawn(ctx, value(2)))
		v, err := race.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, v)
		v, err = anyOf.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 2, v)
	})
}

func TestRaceFailsWithTheTaskErrorOfTheFirst(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.NewKeyed[string, int](ctx)
		require.NoError(t, g.SpawnWithKey(ctx, "slow", after(20, value(1))))
		require.NoError(t, g.SpawnWithKey(ctx, "bad", failing(errBoom)))
		_, err := g.Race().Await(ctx)
		var te *taskgroup.TaskError[string]
		require.ErrorAs(t, err, &te)
		require.Same(t, err, te)
		require.Equal(t, "bad", te.Key)
		require.Same(t, errBoom, te.Err)
		require.EqualError(t, err, "taskgroup: task bad: boom")
		v, err := g.Any().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, v)
	})
}

func TestAnyFailsWithAllErrorsWhenEveryTaskHas(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, after(5, failing(errBoom))))
		require.NoError(t, g.Spawn(ctx, failing(errBang)))
		early := g.Any()
		for _, f := range []*scheduler.Future[int]{early, g.Any()} {
			_, err := f.Await(ctx)
			keys, errs := failures[int](t, err)
			require.Equal(t, []int{0, 1}, keys)
			require.Equal(t, []error{errBoom, errBang}, errs)
		}
	})
}

func TestRaceAndAnyOfAnEmptyGroupFail(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		for _, f := range []*scheduler.Future[int]{g.Race(), g.Any()} {
			require.True(t, f.Done())
			_, err := f.Await(ctx)
			require.ErrorIs(t, err, taskgroup.ErrNoTasks)
		}
	})
}

func TestCancelRestCancelsTheLosers(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for _, first := range []func(*taskgroup.Group[int, int]) *scheduler.Future[int]{
			func(g *taskgroup.Group[int, int]) *scheduler.Future[int] { return g.Race(taskgroup.CancelRest()) },
			func(g *taskgroup.Group[int, int]) *scheduler.Future[int] { return g.Any(taskgroup.CancelRest()) },
		} {
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
			started, unwound := false, false
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				started = true
				defer func() { unwound = true }()
				return parked(ctx)
			}))
			require.NoError(t, g.Spawn(ctx, value(2)))
			require.NoError(t, g.Spawn(ctx, value(3)))
			v, err := first(g).Await(ctx)
			require.NoError(t, err)
			require.Equal(t, 2, v)
			require.True(t, g.IsSealed())
			require.NoError(t, g.AwaitCompletion(ctx))
			require.Equal(t, started, unwound)
			require.Empty(t, g.GetErrors())
			require.LessOrEqual(t, g.GetResults().Len(), 2)
			v, err = first(g).Await(ctx)
			require.NoError(t, err)
			require.Equal(t, 2, v, "the same answer again")
		}
	})
}

func TestARaceThatWasCancelledCancelsNobody(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, value(1)))
		require.NoError(t, g.Spawn(ctx, after(3, value(2))))
		g.Race(taskgroup.CancelRest()).Cancel(nil)
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, results.Values())
	})
}

func TestRaceAndAnyOfACancelledGroupFailWithTheCause(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		require.NoError(t, g.Spawn(ctx, parked))
		require.NoError(t, g.Spawn(ctx, value(2)))
		early := []*scheduler.Future[int]{g.Race(), g.Any()}
		g.Cancel(errBoom)
		for _, f := range append(early, g.Race(), g.Any()) {
			_, err := f.Await(ctx)
			var e *scheduler.CancelledError
			require.ErrorAs(t, err, &e)
			require.Same(t, errBoom, e.Cause)
		}
	})
}
