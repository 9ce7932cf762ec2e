package taskgroup_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

type key struct{}

func TestTaskHasTheValuesOfItsSpawnsCtx(t *testing.T) {
	orders(t, func(ctx context.Context) {
		base := context.WithValue(ctx, key{}, "of New")
		for name, ctx := range map[string]context.Context{"bare": ctx, "derived": base} {
			g := taskgroup.New[any](ctx, taskgroup.Concurrency(1))
			read := func(ctx context.Context) (any, error) { return ctx.Value(key{}), nil }
			require.NoError(t, g.Spawn(ctx, read))
			require.NoError(t, g.Spawn(context.WithValue(ctx, key{}, 1), read))
			require.NoError(t, g.Spawn(context.WithValue(base, key{}, 2), read))
			require.NoError(t, g.Spawn(ctx, read))
			results, err := g.All().Await(ctx)
			require.NoError(t, err)
			require.Equal(t, []any{ctx.Value(key{}), 1, 2, ctx.Value(key{})}, results.Values(), name)
		}
	})
}

func TestTaskDoesNotEndWithItsSpawnsCtx(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		spawn, cancel := context.WithCancel(ctx)
		require.NoError(t, g.Spawn(spawn, func(ctx context.Context) (int, error) {
			cancel()
			return 1, scheduler.Yield(ctx)
		}))
		_, err := g.All().Await(ctx)
		require.NoError(t, err)
	})
}

func TestSpawnWithACtxThatHasEndedFailsAtOnce(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		ended, cancel := context.WithCancelCause(ctx)
		cancel(errBoom)
		err := g.Spawn(ended, value(1))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errBoom)
		require.Zero(t, g.Count())
		g.Seal()
		err = g.Spawn(ended, value(1))
		require.ErrorIs(t, err, taskgroup.ErrSealed)
		require.ErrorIs(t, err, errBoom)
	})
}

func TestKeysAreUnique(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.NewKeyed[string, int](ctx)
		require.NoError(t, g.SpawnWithKey(ctx, "a", value(1)))
		err := g.SpawnWithKey(ctx, "a", value(2))
		require.ErrorIs(t, err, taskgroup.ErrDuplicateKey)
		require.EqualError(t, err, "taskgroup: key is taken: a")
		_, err = g.All().Await(ctx)
		require.NoError(t, err)
		require.ErrorIs(t, g.SpawnWithKey(ctx, "a", value(2)), taskgroup.ErrDuplicateKey, "settled")
		require.Equal(t, 1, g.Count())
	})
}

func TestNumbersSkipOneThatIsTakenAndARefusedSpawnUsesNone(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[string](ctx)
		task := func(s string) func(context.Context) (string, error) { return value(s) }
		require.NoError(t, g.Spawn(ctx, task("zero")))
		require.NoError(t, g.SpawnWithKey(ctx, 1, task("named")))
		require.ErrorIs(t, g.SpawnWithKey(ctx, 0, task("refused")), taskgroup.ErrDuplicateKey)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		require.Error(t, g.Spawn(ended, task("refused")))
		require.NoError(t, g.Spawn(ctx, task("two")))
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, map[int]string{0: "zero", 1: "named", 2: "two"}, results.Map())
	})
}

func TestKeyedGroupOfIntsMayNumberItsTasks(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.NewKeyed[int, int](ctx)
		require.NoError(t, g.SpawnWithKey(ctx, 0, value(10)))
		require.NoError(t, g.Spawn(ctx, value(11)))
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, map[int]int{0: 10, 1: 11}, results.Map())
	})
}

func TestSpawnIntoASealedCancelledOrDisposedGroupFails(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for name, end := range map[string]func(g *taskgroup.Group[int, int]){
			"Seal":          func(g *taskgroup.Group[int, int]) { g.Seal() },
			"Cancel":        func(g *taskgroup.Group[int, int]) { g.Cancel(nil) },
			"Dispose":       func(g *taskgroup.Group[int, int]) { _ = g.Dispose() },
			"Scope.Cancel":  func(g *taskgroup.Group[int, int]) { g.Scope().Cancel(nil) },
			"Scope.Dispose": func(g *taskgroup.Group[int, int]) { g.Scope().Dispose() },
		} {
			g := taskgroup.New[int](ctx)
			end(g)
			require.ErrorIs(t, g.Spawn(ctx, value(1)), taskgroup.ErrSealed, name)
			require.True(t, g.IsSealed(), name)
			require.Zero(t, g.Count(), name)
		}
	})
}

func TestSpawnWhereTheScopeIsClosedFails(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		require.NoError(t, g.Spawn(ctx, after(2, value(1))))
		require.NoError(t, g.Spawn(ctx, value(2)))
		g.Scope().Close()
		require.ErrorIs(t, g.Spawn(ctx, value(3)), scheduler.ErrScopeClosed)
		results, err := g.All().Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrScopeClosed, "the one in the queue never got its coroutine")
		require.Equal(t, []int{1}, results.Values())

		closed := scheduler.NewScope(ctx)
		closed.Close()
		require.ErrorIs(t, taskgroup.New[int](ctx, taskgroup.InScope(closed)).Spawn(ctx, value(1)), scheduler.ErrScopeClosed)
	})
}

func TestATaskMaySpawnIntoItsOwnGroupAtTheLimit(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
		var tree func(depth int) func(context.Context) (int, error)
		tree = func(depth int) func(context.Context) (int, error) {
			return func(ctx context.Context) (int, error) {
				for range 2 {
					if depth > 0 {
						require.NoError(t, g.Spawn(ctx, tree(depth-1)))
					}
				}
				return depth, scheduler.Yield(ctx)
			}
		}
		require.NoError(t, g.Spawn(ctx, tree(4)))
		for !g.IsFinished() {
			_, err := g.All().Await(ctx)
			require.NoError(t, err)
		}
		require.Equal(t, 31, g.Count())
		require.Equal(t, 31, g.GetResults().Len())
	})
}

func TestTaskIsSpawnedWhereSpawnWasCalled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[string](ctx, taskgroup.Concurrency(1))
		place := func(ctx context.Context) (string, error) { return scheduler.Current(ctx).SpawnedAt(), nil }
		var want []string
		line := func(skew int) {
			_, file, line, _ := runtime.Caller(1)
			want = append(want, file+":"+strconv.Itoa(line+skew))
		}
		line(1)
		require.NoError(t, g.Spawn(ctx, place))
		for range 2 {
			line(1)
			require.NoError(t, g.SpawnWithKey(ctx, 7+len(want), place))
		}
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, want, results.Values())
		require.True(t, strings.Contains(want[0], "spawn_test.go"))
	})
}

// The ctx of another coroutine will do, and a callback may spawn, where there is room.
func TestSpawnWithACtxThatCannotWait(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
		defer g.Dispose()
		require.NoError(t, scheduler.Go(ctx, func(mine context.Context) error {
			inCallback := func() error {
				f, r := scheduler.NewExternal[error](mine)
				require.NoError(t, scheduler.Current(mine).Scheduler().Post(func() { _ = r.Complete(g.Spawn(mine, parked)) }))
				got, err := f.Await(mine)
				require.NoError(t, err)
				return got
			}
			require.NoError(t, g.Spawn(ctx, parked))
			require.NoError(t, inCallback())
			require.ErrorIs(t, g.Spawn(ctx, parked), scheduler.ErrForeignGoroutine)
			require.ErrorIs(t, inCallback(), scheduler.ErrNotCoroutine)
			require.Equal(t, 2, g.Count())
			return nil
		}).Await(ctx))
	})
}
