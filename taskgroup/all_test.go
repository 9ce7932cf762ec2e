package taskgroup_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

var (
	errBoom = errors.New("boom")
	errBang = errors.New("bang")
)

// failures are the keys and errors of a composite, in its order.
func failures[K comparable](t *testing.T, err error) (keys []K, errs []error) {
	t.Helper()
	var all *scheduler.CompositeError
	require.ErrorAs(t, err, &all)
	for _, err := range all.Errs {
		var te *taskgroup.TaskError[K]
		require.True(t, errors.As(err, &te), "%v is no TaskError", err)
		require.Same(t, te, err, "a TaskError that is wrapped")
		keys, errs = append(keys, te.Key), append(errs, te.Err)
	}
	return keys, errs
}

func TestAllGivesResultsInTheOrderOfSpawns(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3))
		for i := range 10 {
			require.NoError(t, g.Spawn(ctx, after(10-i, value(i*i))))
		}
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 4, 9, 16, 25, 36, 49, 64, 81}, results.Values())
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, results.Keys())
	})
}

func TestAllFailsWithACompositeAlsoOfOne(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, after(3, failing(errBoom))))
		require.NoError(t, g.Spawn(ctx, value(1)))
		results, err := g.All().Await(ctx)
		keys, errs := failures[int](t, err)
		require.Equal(t, []int{0}, keys)
		require.Equal(t, []error{errBoom}, errs)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, map[int]int{1: 1}, results.Map(), "what there is of the results")

		require.NoError(t, g.Spawn(ctx, failing(errBang)))
		_, err = g.All().Await(ctx)
		keys, errs = failures[int](t, err)
		require.Equal(t, []int{0, 2}, keys)
		require.Equal(t, []error{errBoom, errBang}, errs)
	})
}

func TestAllConcernsTheTasksThatAreThereWhenItIsCalled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		defer g.Cancel(nil)
		require.NoError(t, g.Spawn(ctx, after(5, value(1))))
		first := g.All()
		require.NoError(t, g.Spawn(ctx, parked))
		results, err := first.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{1}, results.Values())
		require.False(t, g.All().Done())
	})
}

func TestAllOfASettledOrEmptyGroupIsSettled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.True(t, g.All().Done())
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Zero(t, results.Len())
		require.NoError(t, g.Spawn(ctx, value(7)))
		_, err = g.All().Await(ctx)
		require.NoError(t, err)
		for range 3 {
			all := g.All()
			require.True(t, all.Done())
			results, err = all.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, []int{7}, results.Values())
		}
	})
}

func TestAllIgnoringErrorsGivesTheSuccessesAndHandlesNothing(t *testing.T) {
	ends(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		require.NoError(t, g.Spawn(ctx, after(2, value(2))))
		results, err := g.All(taskgroup.IgnoreErrors()).Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{2}, results.Values())
		require.Equal(t, []int{1}, results.Keys())
	}, func(err error) {
		require.ErrorIs(t, err, errBoom)
	})
}

func TestAllOfAGroupThatWasOnlyCancelledFailsWithTheCause(t *testing.T) {
	for _, opts := range [][]taskgroup.WaitOption{nil, {taskgroup.IgnoreErrors()}} {
		orders(t, func(ctx context.Context) {
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
			require.NoError(t, g.Spawn(ctx, value(1)))
			require.NoError(t, g.Spawn(ctx, parked))
			require.NoError(t, g.Spawn(ctx, value(3)))
			pending := g.All(opts...)
			_, err := g.Race().Await(ctx)
			require.NoError(t, err)
			g.Cancel(errBoom)
			for _, all := range []*scheduler.Future[*taskgroup.Results[int, int]]{pending, g.All(opts...)} {
				results, err := all.Await(ctx)
				var e *scheduler.CancelledError
				require.ErrorAs(t, err, &e)
				require.Same(t, err, e)
				require.Same(t, errBoom, e.Cause)
				require.Equal(t, []int{1}, results.Values())
			}
			require.Empty(t, g.GetErrors())
		})
	}
}

func TestCancellingAnAllConcernsTheFutureAlone(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, after(3, value(1))))
		all := g.All()
		all.Cancel(errBoom)
		_, err := all.Await(ctx)
		require.ErrorIs(t, err, errBoom)
		_, err = g.All().Await(ctx)
		require.NoError(t, err)
	})
}

// Futures that are cancelled are not kept until something settles.
func TestWaitsThatAreCancelledAreForgotten(t *testing.T) {
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, after(2, value(1))))
		kept := g.All()
		before := heap()
		for range 100_000 {
			g.All().Cancel(nil)
			g.Race().Cancel(nil)
		}
		require.Less(t, int64(heap())-int64(before), int64(1<<20), "bytes, for 200,000")
		_, err := kept.Await(ctx)
		return err
	}))
}

func TestAwaitCompletionWaitsForTasksAndWhatTheySpawned(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		require.ErrorIs(t, g.AwaitCompletion(ctx), taskgroup.ErrNotSealed)
		left := 0
		for range 3 {
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				left++
				scheduler.Go(ctx, func(ctx context.Context) error {
					defer func() { left-- }()
					settle(ctx, 5)
					return nil
				})
				return 0, errBoom
			}))
		}
		g.SuppressErrors()
		g.Seal()
		require.NoError(t, g.AwaitCompletion(ctx), "task errors are not its concern")
		require.Zero(t, left)
		require.NoError(t, g.AwaitCompletion(ctx), "again")
	})
}

func TestAwaitCompletionFromInsideIsAnError(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			require.ErrorContains(t, g.AwaitCompletion(ctx), "inside")
			return 0, nil
		}))
		g.Seal()
		require.NoError(t, g.AwaitCompletion(ctx))
	})
}
