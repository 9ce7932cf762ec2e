package scheduler_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// job runs its body as often as it is told to.
type job struct {
	runner scheduler.Runner
	origin *scheduler.Origin
	again  int
	body   func(ctx context.Context, run int) error
	runs   int
	ends   []error
	seen   []*scheduler.Coroutine // by Ended
}

func newJob(t *testing.T, ctx context.Context, sc *scheduler.Scope, again int, body func(context.Context, int) error) *job {
	o, err := sc.OriginOf(ctx, nil, 0)
	require.NoError(t, err)
	j := &job{origin: o, again: again, body: body}
	j.runner.Init(sc, j)
	return j
}

func (j *job) Run(ctx context.Context) error {
	j.runs++
	return j.body(ctx, j.runs)
}

func (j *job) Ended(c *scheduler.Coroutine, err error, cancelled bool) {
	if _, is := err.(*scheduler.CancelledError); is != cancelled {
		err = errors.New("cancelled, and an error that does not say so")
	}
	j.ends = append(j.ends, err)
	j.seen = append(j.seen, c)
	if j.again--; j.again > 0 {
		j.runner.Launch(j.origin)
	}
}

func TestRunnerRunsItsJobAgainAndTellsEveryOutcome(t *testing.T) {
	boom := errors.New("boom")
	orders(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		j := newJob(t, ctx, sc, 5, func(ctx context.Context, run int) error {
			switch run {
			case 2:
				return boom
			case 3:
				panic(boom)
			case 4:
				runtime.Goexit()
			}
			return scheduler.Yield(ctx)
		})
		j.runner.Launch(j.origin)
		require.NoError(t, sc.AwaitCompletion(ctx))
		require.Len(t, j.ends, 5)
		require.NoError(t, j.ends[0])
		require.Same(t, boom, j.ends[1])
		var p *scheduler.PanicError
		require.ErrorAs(t, j.ends[2], &p)
		require.Contains(t, string(p.Stack), "runner_test.go")
		require.Same(t, scheduler.ErrGoexit, j.ends[3])
		require.NoError(t, j.ends[4])
		return nil
	}, scheduler.WithLogger(nil))
}

func TestRunnerGoesToTheEndOfTheRunQueue(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		turns := 0
		j := newJob(t, ctx, sc, 100, func(context.Context, int) error { return nil })
		j.runner.Launch(j.origin)
		for !sc.Finished() {
			turns++
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.Equal(t, 100, turns)
		return nil
	})
}

func TestRunnerUsesACoroutineAgainThatNobodyKnows(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		j := newJob(t, ctx, sc, 3, func(ctx context.Context, _ int) error { return scheduler.Yield(ctx) })
		j.runner.Launch(j.origin)
		require.NoError(t, sc.AwaitCompletion(ctx))
		require.Same(t, j.seen[0], j.seen[1])
		require.Same(t, j.seen[1], j.seen[2])
		return nil
	})
}

func TestRunnerTakesANewCoroutineWhereTheOldOneLeftTraces(t *testing.T) {
	type key struct{}
	traces := map[string]func(context.Context){
		"Current":    func(ctx context.Context) { scheduler.Current(ctx) },
		"derived":    func(ctx context.Context) { scheduler.Current(context.WithValue(ctx, key{}, 1)) },
		"Running":    func(ctx context.Context) { scheduler.Current(ctx).Scheduler().Running() },
		"Done":       func(ctx context.Context) { ctx.Done() },
		"Value":      func(ctx context.Context) { ctx.Value(key{}) },
		"Protect":    func(ctx context.Context) { _ = scheduler.Protect(ctx, func(context.Context) error { return nil }) },
		"cancelling": func(ctx context.Context) { scheduler.Current(ctx).Cancel(nil) },
	}
	for name, leave := range traces {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				sc := scheduler.NewScope(ctx)
				j := newJob(t, ctx, sc, 2, func(ctx context.Context, run int) error {
					require.NoError(t, ctx.Err())
					if run == 1 {
						leave(ctx)
					}
					return nil
				})
				j.runner.Launch(j.origin)
				require.NoError(t, sc.AwaitCompletion(ctx))
				require.NotSame(t, j.seen[0], j.seen[1])
				require.NotEqual(t, j.seen[0].ID(), j.seen[1].ID())
				return nil
			})
		})
	}
}

func TestRunnerCancelledBeforeItStartsIsToldAndMayGoOn(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		j := newJob(t, ctx, sc, 2, func(context.Context, int) error { return nil })
		j.runner.Launch(j.origin)
		sc.Cancel(nil) // the second launch finds the scope closed
		require.Equal(t, 0, j.runs)
		require.Len(t, j.ends, 2)
		require.ErrorIs(t, j.ends[0], context.Canceled)
		require.Same(t, scheduler.ErrScopeClosed, j.ends[1])
		require.True(t, sc.Finished())
		return nil
	})
}

func TestRunnerOfAClosedScopeIsRefusedAsOftenAsItAsks(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		sc.Close()
		j := newJob(t, ctx, sc, 100_000, func(context.Context, int) error { return nil })
		j.runner.Launch(j.origin)
		require.Len(t, j.ends, 100_000)
		require.Equal(t, 0, j.runs)
		return nil
	})
}

func TestRunnerKeepsItsScopeBusyBetweenLaunches(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		j := newJob(t, ctx, sc, 10, func(ctx context.Context, run int) error {
			if run%2 == 0 {
				scheduler.Current(ctx) // half of the launches take a new coroutine
			}
			return nil
		})
		j.runner.Launch(j.origin)
		require.NoError(t, sc.AwaitCompletion(ctx))
		require.Equal(t, 10, j.runs)
		return nil
	})
}

func TestRunnerAllocatesNothingFromTheSecondLaunchOn(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		j := newJob(t, ctx, sc, 0, func(context.Context, int) error { return nil })
		j.ends, j.seen = make([]error, 0, 4096), make([]*scheduler.Coroutine, 0, 4096)
		j.runner.Launch(j.origin)
		require.NoError(t, scheduler.Yield(ctx))
		yields := testing.AllocsPerRun(1000, func() { _ = scheduler.Yield(ctx) })
		require.Equal(t, yields, testing.AllocsPerRun(1000, func() {
			j.runner.Launch(j.origin)
			_ = scheduler.Yield(ctx)
		})) // looking up a goroutine allocates in the portable implementation
		return nil
	})
}

// The launch leaves the stack on which its callbacks go on running.
func TestRunnerLaunchedAgainLeavesAStackForCallbacksToAskOn(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		f, r := scheduler.NewFuture[int](ctx)
		waiter := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := f.Await(ctx)
			return err
		})
		require.NoError(t, scheduler.Yield(ctx))
		sc := scheduler.NewScope(ctx)
		where := ""
		j := newJob(t, ctx, sc, 2, func(_ context.Context, run int) error {
			if run == 1 {
				return s.Post(func() { where = waiter.SuspendedAt() })
			}
			return nil
		})
		j.runner.Launch(j.origin)
		require.NoError(t, sc.AwaitCompletion(ctx))
		for where == "" {
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.Contains(t, where, "runner_test.go")
		return r.Complete(1)
	})
}
