package taskgroup_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

type intGroup = taskgroup.Group[int, int]

func TestFinallyRunsOnceWhenSealedAndSettledInOrder(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		var calls []int
		for i := range 5 {
			g.Finally(func(got *intGroup) {
				require.Same(t, g, got)
				require.True(t, g.IsSealed() && g.IsFinished())
				calls = append(calls, i)
			})
		}
		require.NoError(t, g.Spawn(ctx, after(2, value(1))))
		_, err := g.All().Await(ctx)
		require.NoError(t, err)
		settle(ctx, 5)
		require.Empty(t, calls, "not sealed")
		g.Seal()
		require.Empty(t, calls, "a coroutine")
		for len(calls) < 5 {
			settle(ctx, 1)
		}
		g.Seal()
		g.Cancel(nil)
		settle(ctx, 5)
		require.Equal(t, []int{0, 1, 2, 3, 4}, calls)
		g.Finally(func(*intGroup) { calls = append(calls, 5) })
		for len(calls) < 6 {
			settle(ctx, 1)
		}
	})
}

func TestFinallyRegisteredByOneRunsAfterIt(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		var calls []string
		g.Finally(func(g *intGroup) {
			g.Finally(func(*intGroup) { calls = append(calls, "inner") })
			calls = append(calls, "outer")
		})
		g.Seal()
		for len(calls) < 2 {
			settle(ctx, 1)
		}
		require.Equal(t, []string{"outer", "inner"}, calls)
	})
}

func TestFinallyIsNotWaitedForAndItsFailureIsUnhandled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		parent := scheduler.NewScope(ctx)
		var got []error
		parent.OnError(func(_ *scheduler.Coroutine, err error) { got = append(got, err) })
		g := taskgroup.New[int](ctx, taskgroup.InScope(parent))
		last := false
		g.Finally(func(*intGroup) { panic(errBoom) })
		g.Finally(func(*intGroup) { runtime.Goexit() })
		g.Finally(func(*intGroup) { last = true })
		g.Seal()
		require.NoError(t, g.AwaitCompletion(ctx))
		require.False(t, last)
		require.NoError(t, parent.AwaitCompletion(ctx))
		require.True(t, last)
		require.Len(t, got, 2)
		require.ErrorIs(t, got[0], errBoom)
		require.ErrorIs(t, got[1], scheduler.ErrGoexit)
	})
}

func TestFinallyRunsAlsoWhereItsScopeTakesNoMore(t *testing.T) {
	orders(t, func(ctx context.Context) {
		parent := scheduler.NewScope(ctx)
		var got []error
		parent.OnError(func(_ *scheduler.Coroutine, err error) { got = append(got, err) })
		g := taskgroup.New[int](ctx, taskgroup.InScope(parent))
		calls := 0
		for range 3 {
			g.Finally(func(*intGroup) {
				if calls++; calls == 2 {
					panic(errBoom)
				}
			})
		}
		require.NoError(t, g.Spawn(ctx, parked))
		parent.Cancel(nil)
		_ = mustFail(g.All().Await(ctx))
		require.Equal(t, 3, calls)
		require.Len(t, got, 1)
		require.ErrorIs(t, got[0], errBoom)
	})
}

func TestFinallyThatIsCancelledBeforeItRunsIsCalledAllTheSame(t *testing.T) {
	orders(t, func(ctx context.Context) {
		parent := scheduler.NewScope(ctx)
		g := taskgroup.New[int](ctx, taskgroup.InScope(parent))
		calls := 0
		g.Finally(func(*intGroup) { calls++ })
		g.Finally(func(*intGroup) { calls++ })
		g.Seal()
		parent.Cancel(nil)
		require.Equal(t, 2, calls)
	})
}
