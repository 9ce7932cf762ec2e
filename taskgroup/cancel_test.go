package taskgroup_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestSealLetsWhatIsThereRun(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		for i := range 3 {
			require.NoError(t, g.Spawn(ctx, after(1, value(i))))
		}
		g.Seal()
		g.Seal()
		require.True(t, g.IsSealed())
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2}, results.Values())
	})
}

func TestCancelWithOneRunningAnd999Queued(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		bodies := 0
		task := func(ctx context.Context) (int, error) {
			bodies++
			return parked(ctx)
		}
		for range 1000 {
			require.NoError(t, g.Spawn(ctx, task))
		}
		for bodies == 0 {
			settle(ctx, 1)
		}
		all := g.All()
		g.Cancel(errBoom)
		require.Equal(t, 1000, g.Count())
		require.False(t, all.Done(), "one cleans up")
		_, err := all.Await(ctx)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, 1, bodies)
		cancelled := 0
		for _, r := range g.Each(ctx) {
			require.ErrorIs(t, r.Err, errBoom)
			cancelled++
		}
		require.Equal(t, 1000, cancelled)
	})
}

func TestCancelOfTasksThatNeverStartedSettlesThemAtOnce(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3))
		for range 10 {
			require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
				t.Error("it ran")
				return 0, nil
			}))
		}
		g.Cancel(nil)
		require.True(t, g.IsFinished())
		require.True(t, g.All().Done())
	})
}

func TestCancelWorksOnASealedGroupAndTheFirstCauseStays(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, parked))
		g.Seal()
		g.Cancel(errBoom)
		g.Cancel(errBang)
		err := mustFail(g.All().Await(ctx))
		require.ErrorIs(t, err, errBoom)
		require.NotErrorIs(t, err, errBang)
	})
}

func TestCancelTouchesNothingOutsideOfTheGroup(t *testing.T) {
	orders(t, func(ctx context.Context) {
		beside := scheduler.Spawn(ctx, after(5, value(1)))
		g, sibling := taskgroup.New[int](ctx), taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, parked))
		require.NoError(t, sibling.Spawn(ctx, after(5, value(1))))
		g.Cancel(nil)
		_, err := beside.Await(ctx)
		require.NoError(t, err)
		_, err = sibling.All().Await(ctx)
		require.NoError(t, err)
		require.NoError(t, ctx.Err())
	})
}

func TestCancelReachesWhatTasksSpawned(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		var inner *taskgroup.Group[int, int]
		var child *scheduler.Coroutine
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			child = scheduler.Go(ctx, scheduler.AwaitShutdown)
			inner = taskgroup.New[int](ctx)
			require.NoError(t, inner.Spawn(ctx, parked))
			return 1, nil
		}))
		_, err := g.Race().Await(ctx)
		require.NoError(t, err)
		g.Cancel(errBoom)
		require.ErrorIs(t, child.Await(ctx), errBoom)
		require.ErrorIs(t, mustFail(inner.All().Await(ctx)), errBoom)
	})
}

func TestCancellingTheScopeOrOneAboveCancelsTheGroup(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for name, above := range map[string]func(g *taskgroup.Group[int, int], sc *scheduler.Scope){
			"its own":       func(g *taskgroup.Group[int, int], _ *scheduler.Scope) { g.Scope().Cancel(errBoom) },
			"the parent":    func(_ *taskgroup.Group[int, int], sc *scheduler.Scope) { sc.Cancel(errBoom) },
			"DisposeSafely": func(_ *taskgroup.Group[int, int], sc *scheduler.Scope) { sc.DisposeSafely() },
		} {
			sc := scheduler.NewScope(ctx)
			g := taskgroup.New[int](ctx, taskgroup.InScope(sc), taskgroup.Concurrency(1))
			started := false
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				started = true
				return after(3, value(1))(ctx)
			}))
			require.NoError(t, g.Spawn(ctx, value(2)))
			for !started {
				settle(ctx, 1)
			}
			race := g.Any()
			above(g, sc)
			require.True(t, g.IsSealed(), name)
			results, err := g.All().Await(ctx)
			require.ErrorIs(t, err, context.Canceled, name)
			if name == "DisposeSafely" {
				require.Equal(t, []int{1}, results.Values())
				_, err = race.Await(ctx)
				require.NoError(t, err)
				continue
			}
			require.Zero(t, results.Len())
			require.ErrorIs(t, mustFail(race.Await(ctx)), errBoom, name)
		}
	})
}

func TestAGroupInACancelledScopeIsCancelled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		sc := scheduler.NewScope(ctx)
		sc.Cancel(errBoom)
		g := taskgroup.New[int](ctx, taskgroup.InScope(sc))
		require.True(t, g.IsSealed())
		require.ErrorIs(t, g.Spawn(ctx, value(1)), taskgroup.ErrSealed)
		_, err := g.All().Await(ctx)
		require.NoError(t, err, "nothing was cancelled")
	})
}

func TestFailFastCancelsTheRestWithTheFailureAsCause(t *testing.T) {
	for name, fail := range map[string]func(context.Context) (int, error){
		"error":  failing(errBoom),
		"panic":  func(context.Context) (int, error) { panic(errBoom) },
		"Goexit": func(context.Context) (int, error) { require.FailNow(quiet{}, ""); return 0, nil },
	} {
		for _, yields := range []int{0, 2} {
			t.Run(name, func(t *testing.T) {
				orders(t, func(ctx context.Context) {
					g := taskgroup.New[int](ctx, taskgroup.Concurrency(2), taskgroup.FailFast())
					var cause error
					require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
						_, err := parked(ctx)
						cause = errors.Unwrap(err)
						return 0, err
					}))
					require.NoError(t, g.Spawn(ctx, after(yields, fail)))
					require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
						t.Error("it ran")
						return 0, nil
					}))
					_, err := g.All().Await(ctx)
					keys, _ := failures[int](t, err)
					require.Equal(t, []int{1}, keys, "the cause alone")
					if cause != nil { // it had started
						require.Same(t, g.GetErrors()[0], cause)
					}
					require.True(t, g.IsSealed())
				})
			})
		}
	}
}

// quiet is a test that fails without a word.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) FailNow()              { (&testing.T{}).SkipNow() } // a Goexit, as a failing require's

func TestDisposeReturnsWhatNobodyHandledAndEndsTheScope(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		ended := false
		g.Scope().Finally(func(*scheduler.Scope) { ended = true })
		require.NoError(t, g.Spawn(ctx, after(1, failing(errBoom))))
		require.NoError(t, g.Spawn(ctx, failing(errBang)))
		require.NoError(t, g.Spawn(ctx, parked))
		settle(ctx, 5)
		keys, errs := failures[int](t, g.Dispose())
		require.Equal(t, []int{0, 1}, keys)
		require.Equal(t, []error{errBoom, errBang}, errs)
		require.NoError(t, g.Dispose(), "returned once")
		require.True(t, g.IsSealed())
		for !ended {
			settle(ctx, 1)
		}
		require.Empty(t, scheduler.Current(ctx).Scope().Children())
	})
}

func TestDisposeOfASettledGroupEndsItsScopeAtOnce(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for range 100 {
			g := taskgroup.New[int](ctx)
			require.NoError(t, g.Spawn(ctx, value(1)))
			_, err := g.All().Await(ctx)
			require.NoError(t, err)
			require.NoError(t, g.Dispose())
		}
		require.Empty(t, scheduler.Current(ctx).Scope().Children())
	})
}

// A group gets a timeout, or any other end, through the ctx it is made with.
func TestTheEndOfTheCtxOfNewCancelsTheGroup(t *testing.T) {
	for name, c := range map[string]struct {
		derive func(context.Context) (context.Context, func())
		want   error
	}{
		"scheduler.WithTimeout": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := scheduler.WithTimeout(ctx, time.Microsecond)
			return ctx, cancel
		}, context.DeadlineExceeded},
		"context.WithTimeout": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, time.Microsecond)
			return ctx, cancel
		}, context.DeadlineExceeded},
		"a cause": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			scheduler.Go(ctx, func(context.Context) error { cancel(errBoom); return nil })
			return ctx, func() { cancel(nil) }
		}, errBoom},
		"before New": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			cancel(errBoom)
			return ctx, func() {}
		}, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) {
				derived, cancel := c.derive(ctx)
				defer cancel()
				g := taskgroup.New[int](derived, taskgroup.Concurrency(2))
				deadline, has := derived.Deadline()
				for i := range 4 {
					err := g.Spawn(ctx, func(ctx context.Context) (int, error) {
						d, ok := ctx.Deadline()
						require.Equal(t, has, ok)
						require.Equal(t, deadline, d)
						_, err := parked(ctx)
						require.Equal(t, derived.Err(), ctx.Err())
						return i, err
					})
					if name == "before New" {
						require.ErrorIs(t, err, taskgroup.ErrSealed)
					} else if err != nil { // it ended meanwhile
						require.ErrorIs(t, err, taskgroup.ErrSealed)
					}
				}
				_, err := g.All().Await(ctx)
				if g.Count() > 0 {
					require.ErrorIs(t, err, c.want)
					require.ErrorIs(t, err, context.Canceled)
				}
				require.Empty(t, g.GetErrors())
				for !g.IsSealed() {
					settle(ctx, 1)
				}
				require.NoError(t, ctx.Err())
			})
		})
	}
}

// The loop may not have been told yet: no body starts all the same, and the tasks
// count as cancelled with the group.
func TestNoTaskStartsOnceTheCtxOfNewHasEnded(t *testing.T) {
	orders(t, func(ctx context.Context) {
		derived, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		g := taskgroup.New[int](derived, taskgroup.Concurrency(2))
		bodies := 0
		for range 5 {
			require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
				bodies++
				cancel(errBoom)
				return 0, context.Canceled
			}))
		}
		_, err := g.All().Await(ctx)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, 1, bodies)
		require.Empty(t, g.GetErrors())
		require.ErrorIs(t, g.Spawn(ctx, value(1)), taskgroup.ErrSealed)
	})
}

func TestNoTaskStartsInTheSlotOfOneThatSucceededAfterTheEndOfTheCtxOfNew(t *testing.T) {
	orders(t, func(ctx context.Context) {
		derived, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		g := taskgroup.New[int](derived, taskgroup.Concurrency(1))
		for i := range 5 {
			require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
				cancel(errBoom)
				return i, nil
			}))
		}
		results, err := g.All().Await(ctx)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, []int{0}, results.Values())
	})
}
