package taskgroup_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestConcurrencyIsReachedAndNeverExceeded(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for _, limit := range []int{1, 2, 7} {
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(limit))
			running, peak := 0, 0
			for i := range 40 {
				require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
					running++
					defer func() { running-- }()
					peak = max(peak, running)
					return after(1+i%3, value(i))(ctx)
				}))
			}
			_, err := g.All().Await(ctx)
			require.NoError(t, err)
			require.Equal(t, limit, peak)
			require.Zero(t, running)
		}
	})
}

func TestWithoutALimitAllTasksRunAtOnce(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		running := 0
		for range 100 {
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				running++
				return parked(ctx)
			}))
		}
		for running < 100 {
			settle(ctx, 1)
		}
		g.Cancel(nil)
		require.ErrorIs(t, mustFail(g.All().Await(ctx)), context.Canceled)
	})
}

func mustFail[T any](_ T, err error) error { return err }

// Tasks that wait have neither coroutine nor stack.
func TestQueuedTasksHaveNoCoroutine(t *testing.T) {
	orders(t, func(ctx context.Context) {
		s := scheduler.Current(ctx).Scheduler()
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(5))
		before := s.Stats().Coroutines
		for range 1000 {
			require.NoError(t, g.Spawn(ctx, after(1, value(1))))
		}
		require.Equal(t, before+5, s.Stats().Coroutines)
		for !g.IsFinished() {
			settle(ctx, 1)
			require.LessOrEqual(t, s.Stats().Coroutines, before+5)
		}
	})
}

func TestTasksStartInTheOrderOfTheirSpawns(t *testing.T) {
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3))
		var started []int
		for i := range 100 {
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				started = append(started, i)
				return after(i%3, value(i))(ctx)
			}))
		}
		_, err := g.All().Await(ctx)
		require.IsIncreasing(t, started)
		return err
	}))
}

// A slot that goes from task to task stands at the end of the run queue each time:
// tasks that end at once starve nobody.
func TestTasksThatEndAtOnceLetOthersRun(t *testing.T) {
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(4))
		for i := range 1000 {
			require.NoError(t, g.Spawn(ctx, value(i)))
		}
		turns := 0
		for !g.IsFinished() {
			turns++
			settle(ctx, 1)
		}
		require.GreaterOrEqual(t, turns, 1000/4)
		return nil
	}))
}

// What a task does to its coroutine is not there for the next one in its slot.
func TestTasksOfOneSlotDoNotSeeEachOther(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		var before *scheduler.Coroutine
		calls, ended := 0, 0
		traces := []func(context.Context){
			func(ctx context.Context) { scheduler.Current(ctx).Cancel(nil) },
			func(ctx context.Context) { scheduler.Current(ctx).Finally(func(*scheduler.Coroutine) { ended++ }) },
			func(ctx context.Context) {
				_ = scheduler.Current(ctx).OnSwitch(&scheduler.SwitchHandler{Fn: func(c *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
					calls++
					return true
				}})
			},
			func(ctx context.Context) { runtime.Goexit() },
			func(ctx context.Context) { panic(errBoom) },
			func(ctx context.Context) {
				_ = scheduler.Protect(ctx, func(ctx context.Context) error { return scheduler.Yield(ctx) })
			},
			func(ctx context.Context) { ctx.Done() },
		}
		for _, leave := range traces {
			var first *scheduler.Coroutine
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				first = scheduler.Current(ctx)
				require.NotSame(t, before, first)
				leave(ctx)
				return 0, nil
			}))
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				before = scheduler.Current(ctx)
				require.NotEqual(t, first.ID(), before.ID())
				require.Equal(t, scheduler.Finished, first.State())
				require.False(t, before.CancelRequested())
				require.NoError(t, ctx.Err())
				seen := calls
				require.NoError(t, scheduler.Yield(ctx))
				require.Equal(t, seen, calls)
				first.Cancel(errBang) // too late to concern anybody
				return 0, scheduler.Yield(ctx)
			}))
		}
		g.SuppressErrors()
		_, err := g.All().Await(ctx)
		keys, errs := failures[int](t, err)
		require.Equal(t, []int{6, 8}, keys, "Goexit and panic; what was cancelled returned a value")
		require.ErrorIs(t, errs[0], scheduler.ErrGoexit)
		require.ErrorIs(t, errs[1], errBoom)
		require.Equal(t, 1, ended)
	})
}

// Both figures are what the package promises: 200 bytes beyond the closure for each
// task that waits, and a stack for each that runs beside that of main.
func TestAMillionQueuedTasksAreCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("a million tasks")
	}
	const tasks, limit = million, 50
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		release := false
		task := func(ctx context.Context) (int, error) {
			for !release {
				if err := scheduler.Yield(ctx); err != nil {
					return 0, err
				}
			}
			return 1, nil
		}
		before, stacks := heap(), len(goroutines())
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(limit))
		for range tasks {
			if err := g.Spawn(ctx, task); err != nil {
				return err
			}
		}
		require.LessOrEqual(t, int(heap()-before)/tasks, 200, "bytes for each task, queued")
		settle(ctx, 2)
		require.LessOrEqual(t, len(goroutines())-stacks, limit, "contexts beside that of main")
		release = true
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, tasks, results.Len())
		return nil
	}))
}

// heap is how many bytes are in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestATaskInASlotAllocatesNothingOfItsOwn(t *testing.T) {
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(50))
		task := value(1)
		perTask := testing.AllocsPerRun(10, func() {
			for range 10_000 {
				_ = g.Spawn(ctx, task)
			}
			for !g.IsFinished() {
				_ = scheduler.Yield(ctx)
			}
		}) / 10_000
		// Chunks of results; and for each what it takes to know the caller, which
		// is nothing but in the portable implementation.
		s := scheduler.Current(ctx).Scheduler()
		require.InDelta(t, testing.AllocsPerRun(10, func() { s.OnLoop() }), perTask, 0.1)
		return nil
	}))
}
