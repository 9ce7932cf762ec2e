package taskgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestGroupIsNewFinishedAndOpen(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Name("loads"))
		require.True(t, g.IsFinished())
		require.False(t, g.IsSealed())
		require.Zero(t, g.Count())
		require.Zero(t, g.GetResults().Len())
		require.Empty(t, g.GetErrors())
		require.Equal(t, "loads", g.Scope().Name())
		require.NoError(t, g.Dispose())
	})
}

func TestCountIsQueuedRunningAndSettled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
		for i := range 5 {
			require.NoError(t, g.Spawn(ctx, after(i, value(i))))
			require.Equal(t, i+1, g.Count())
		}
		require.False(t, g.IsFinished())
		_, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 5, g.Count())
		require.True(t, g.IsFinished())
	})
}

func TestGroupPanicsNamingTheRule(t *testing.T) {
	orders(t, func(ctx context.Context) {
		var other *scheduler.Scope
		require.NoError(t, mustFail(scheduler.Offload(ctx, func(context.Context) (int, error) {
			return 0, scheduler.Run(context.Background(), func(ctx context.Context) error {
				other = scheduler.Current(ctx).Scope()
				return nil
			})
		}).Await(ctx)))
		for rule, call := range map[string]func(){
			"belongs to no coroutine": func() { taskgroup.New[int](context.Background()) },
			"at least 1 task":         func() { taskgroup.New[int](ctx, taskgroup.Concurrency(0)) },
			"must not be negative":    func() { taskgroup.New[int](ctx, taskgroup.QueueLimit(-1)) },
			"another scheduler":       func() { taskgroup.New[int](ctx, taskgroup.InScope(other)) },
			"InScope(nil)":            func() { taskgroup.New[int](ctx, taskgroup.InScope(nil)) },
			"use SpawnWithKey":        func() { _ = taskgroup.NewKeyed[string, int](ctx).Spawn(ctx, value(1)) },
			"a spawn of a nil task":   func() { _ = taskgroup.New[int](ctx).Spawn(ctx, nil) },
			"Finally(nil)":            func() { taskgroup.New[int](ctx).Finally(nil) },
			"ctx that is not the calle": func() {
				for range taskgroup.New[int](ctx).Each(context.Background()) {
				}
			},
		} {
			func() {
				defer func() {
					err, ok := recover().(error)
					require.True(t, ok, "%q: no panic", rule)
					require.ErrorContains(t, err, "taskgroup: ")
					require.ErrorContains(t, err, rule)
				}()
				call()
			}()
		}
	})
}

func TestGroupBelongsToTheLoop(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) {
			require.ErrorIs(t, g.Spawn(ctx, value(1)), scheduler.ErrForeignGoroutine)
			require.ErrorIs(t, g.Spawn(context.Background(), value(1)), scheduler.ErrNotCoroutine)
			for name, call := range map[string]func(){
				"New":     func() { taskgroup.New[int](ctx) },
				"All":     func() { g.All() },
				"Race":    func() { g.Race() },
				"Any":     func() { g.Any() },
				"Seal":    g.Seal,
				"Cancel":  func() { g.Cancel(nil) },
				"Dispose": func() { _ = g.Dispose() },
				"Each": func() {
					for range g.Each(ctx) {
					}
				},
				"Finally":        func() { g.Finally(func(*taskgroup.Group[int, int]) {}) },
				"GetResults":     func() { g.GetResults() },
				"GetErrors":      func() { g.GetErrors() },
				"SuppressErrors": g.SuppressErrors,
			} {
				require.Panics(t, call, name)
			}
			return 0, nil
		}).Await(ctx)
		require.NoError(t, err)
		require.Zero(t, g.Count())
	})
}

func TestGroupInScopeIsAChildOfThat(t *testing.T) {
	orders(t, func(ctx context.Context) {
		sc := scheduler.NewScope(ctx)
		g := taskgroup.New[int](ctx, taskgroup.InScope(sc))
		require.Contains(t, sc.Children(), g.Scope())
		require.NoError(t, g.Spawn(ctx, parked))
		other := taskgroup.New[int](ctx)
		require.NoError(t, other.Spawn(ctx, after(3, value(1))))
		sc.Cancel(nil)
		_, err := g.All().Await(ctx)
		require.ErrorIs(t, err, context.Canceled)
		_, err = other.All().Await(ctx)
		require.NoError(t, err, "a group of another scope")
	})
}
