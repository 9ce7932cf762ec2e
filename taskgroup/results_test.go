package taskgroup_test

import (
	"context"
	"maps"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestResultsAreSuccessesInTheOrderOfSpawns(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.NewKeyed[string, int](ctx)
		require.NoError(t, g.SpawnWithKey(ctx, "x", after(3, value(1))))
		require.NoError(t, g.SpawnWithKey(ctx, "y", failing(errBoom)))
		require.NoError(t, g.SpawnWithKey(ctx, "z", value(3)))
		r, err := g.All().Await(ctx)
		require.Error(t, err)
		require.Equal(t, 2, r.Len())
		require.Equal(t, []int{1, 3}, r.Values())
		require.Equal(t, []string{"x", "z"}, r.Keys())
		require.Equal(t, map[string]int{"x": 1, "z": 3}, r.Map())
		require.Equal(t, r.Map(), maps.Collect(r.All()))
		for key := range r.All() {
			require.Equal(t, "x", key)
			break
		}
		v, ok := r.Get("z")
		require.True(t, ok)
		require.Equal(t, 3, v)
		for _, key := range []string{"y", "w"} {
			_, ok = r.Get(key)
			require.False(t, ok, key)
		}
	})
}

func TestResultsOfNumberedTasksKeepTheirNumbers(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		for i := range 5 {
			task := value(10 * i)
			if i == 2 {
				task = failing(errBoom)
			}
			require.NoError(t, g.Spawn(ctx, task))
		}
		_ = mustFail(g.All().Await(ctx))
		r := g.GetResults()
		require.Equal(t, []int{0, 1, 3, 4}, r.Keys())
		v, ok := r.Get(3)
		require.True(t, ok)
		require.Equal(t, 30, v)
		_, ok = r.Get(2)
		require.False(t, ok)
		_ = g.GetErrors()
	})
}

func TestResultsDoNotChange(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, value(1)))
		r, err := g.All().Await(ctx)
		require.NoError(t, err)
		r.Values()[0] = 99
		r.Map()[7] = 99
		require.NoError(t, g.Spawn(ctx, value(2)))
		_, err = g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{1}, r.Values())
		require.Equal(t, map[int]int{0: 1}, r.Map())
		require.Equal(t, 2, g.GetResults().Len())
	})
}

func TestResultsMayBeReadByAnyGoroutine(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		for i := range 20 {
			require.NoError(t, g.Spawn(ctx, value(i)))
		}
		r, err := g.All().Await(ctx)
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 20 {
					if v, ok := r.Get(i); !ok || v != i {
						t.Errorf("task %d: %d, %v", i, v, ok)
					}
				}
			})
		}
		for i := range 20 { // the group goes on meanwhile
			require.NoError(t, g.Spawn(ctx, value(i)))
		}
		wg.Wait()
		_, err = g.All().Await(ctx)
		require.NoError(t, err)
	})
}

func TestResultsBeforeAllHaveSettled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		gate := newGate(ctx)
		require.NoError(t, g.Spawn(ctx, gate.task(1)))
		require.NoError(t, g.Spawn(ctx, value(2)))
		_, err := g.Race().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, map[int]int{1: 2}, g.GetResults().Map())
		gate.open(ctx)
		_, err = g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, g.GetResults().Values())
	})
}

func TestResultsOfNothing(t *testing.T) {
	orders(t, func(ctx context.Context) {
		r := taskgroup.NewKeyed[string, int](ctx).GetResults()
		require.Zero(t, r.Len())
		require.Empty(t, r.Values())
		require.Empty(t, r.Keys())
		require.Empty(t, r.Map())
		_, ok := r.Get("a")
		require.False(t, ok)
	})
}
