package taskgroup_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// Each of the ways to end, at once and after having given way.
func TestTaskOutcomesAreToldApart(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(ctx context.Context) (int, error)
		check func(t *testing.T, v int, err error)
	}{
		"value": {value(3), func(t *testing.T, v int, err error) {
			require.NoError(t, err)
			require.Equal(t, 3, v)
		}},
		"error": {failing(errBoom), func(t *testing.T, _ int, err error) {
			require.Same(t, errBoom, err)
		}},
		"panic": {func(context.Context) (int, error) { panic(errBoom) }, func(t *testing.T, _ int, err error) {
			var p *scheduler.PanicError
			require.ErrorAs(t, err, &p)
			require.Same(t, errBoom, p.Value)
			require.Contains(t, string(p.Stack), "settle_test.go")
		}},
		"Goexit": {func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }, func(t *testing.T, _ int, err error) {
			require.Same(t, scheduler.ErrGoexit, err)
		}},
		"a timeout of its own": {func(ctx context.Context) (int, error) {
			ctx, cancel := scheduler.WithTimeout(ctx, time.Nanosecond)
			defer cancel()
			return parked(ctx)
		}, func(t *testing.T, _ int, err error) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NotErrorIs(t, err, context.Canceled)
		}},
		"a cancellation of its own": {func(ctx context.Context) (int, error) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return parked(ctx)
		}, func(t *testing.T, _ int, err error) {
			require.ErrorIs(t, err, context.Canceled)
		}},
		"context.Canceled out of nowhere": {failing(context.Canceled), func(t *testing.T, _ int, err error) {
			require.Same(t, context.Canceled, err)
		}},
	} {
		for _, yields := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s/%d", name, yields), func(t *testing.T) {
				orders(t, func(ctx context.Context) {
					g := taskgroup.New[int](ctx)
					require.NoError(t, g.Spawn(ctx, after(yields, c.end)))
					require.NoError(t, g.Spawn(ctx, value(4)))
					g.Seal()
					_, err := g.All().Await(ctx)
					if name != "value" {
						_, errs := failures[int](t, err)
						require.Len(t, errs, 1)
						c.check(t, 0, errs[0])
						require.Len(t, g.GetErrors(), 1)
					}
					for key, r := range g.Each(ctx) {
						if key == 0 {
							c.check(t, r.Value, r.Err)
						} else {
							require.Equal(t, taskgroup.Result[int]{Value: 4}, r)
						}
					}
				})
			})
		}
	}
}

func TestATaskThatIsCancelledWithTheGroupMayStillHaveAnOutcomeOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		ends func(err error) (int, error)
		want func(t *testing.T, g *taskgroup.Group[int, int], all error)
	}{
		"a value": {func(error) (int, error) { return 5, nil }, func(t *testing.T, g *taskgroup.Group[int, int], all error) {
			require.NoError(t, all)
			require.Equal(t, []int{5}, g.GetResults().Values())
		}},
		"an error": {func(error) (int, error) { return 0, errBang }, func(t *testing.T, g *taskgroup.Group[int, int], all error) {
			_, errs := failures[int](t, all)
			require.Equal(t, []error{errBang}, errs)
		}},
		"the cancellation": {func(err error) (int, error) { return 0, err }, onlyCancelled},
		"the cancellation, wrapped": {func(err error) (int, error) {
			return 0, fmt.Errorf("reading: %w", err)
		}, onlyCancelled},
		"context.Canceled": {func(error) (int, error) { return 0, context.Canceled }, onlyCancelled},
		"the cause":        {func(error) (int, error) { return 0, errBoom }, onlyCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) {
				g := taskgroup.New[int](ctx)
				started := false
				require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
					started = true
					_, err := parked(ctx)
					return c.ends(err)
				}))
				for !started {
					settle(ctx, 1)
				}
				g.Cancel(errBoom)
				_, err := g.All().Await(ctx)
				c.want(t, g, err)
			})
		})
	}
}

func onlyCancelled(t *testing.T, g *taskgroup.Group[int, int], all error) {
	var e *scheduler.CancelledError
	require.True(t, errors.As(all, &e))
	require.Same(t, all, e)
	require.Same(t, errBoom, e.Cause)
	require.Empty(t, g.GetErrors())
	require.Zero(t, g.GetResults().Len())
}

// Somebody has cancelled the task and not the group: that is the task's error, and,
// as any cancellation, no news for who has not asked.
func TestATaskThatIsCancelledAloneHasFailed(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		var c *scheduler.Coroutine
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			c = scheduler.Current(ctx)
			return parked(ctx)
		}))
		require.NoError(t, g.Spawn(ctx, after(3, value(2))))
		for c == nil {
			settle(ctx, 1)
		}
		c.Cancel(errBoom)
		for !g.IsFinished() {
			settle(ctx, 1)
		}
		require.False(t, g.IsSealed())
		require.NoError(t, g.Dispose(), "unhandled, and silent")
		keys, errs := failures[int](t, mustFail(g.All().Await(ctx)))
		require.Equal(t, []int{0}, keys)
		require.ErrorIs(t, errs[0], errBoom)
	})
}

func TestATaskMaySealOrCancelItsOwnGroup(t *testing.T) {
	for _, yields := range []int{0, 2} {
		orders(t, func(ctx context.Context) {
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
			require.NoError(t, g.Spawn(ctx, after(yields, func(ctx context.Context) (int, error) {
				g.Seal()
				require.ErrorIs(t, g.Spawn(ctx, value(1)), taskgroup.ErrSealed)
				g.Cancel(errBoom)
				return parked(ctx)
			})))
			require.NoError(t, g.Spawn(ctx, parked))
			require.NoError(t, g.Spawn(ctx, value(3)))
			_, err := g.All().Await(ctx)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errBoom)
			require.Zero(t, g.GetResults().Len())
		})
	}
}

func TestATaskMayDisposeItsOwnGroup(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		ended := false
		g.Scope().Finally(func(*scheduler.Scope) { ended = true })
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			require.NoError(t, g.Dispose())
			require.False(t, ended)
			return parked(ctx)
		}))
		require.ErrorIs(t, mustFail(g.All().Await(ctx)), context.Canceled)
		for !ended {
			settle(ctx, 1)
		}
	})
}
