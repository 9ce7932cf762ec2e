package scheduler_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestStatsSizesAreExact(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		sizes := func(coroutines, ready, suspended int) {
			t.Helper()
			st := s.Stats()
			require.Equal(t, [3]int{coroutines, ready, suspended}, [3]int{st.Coroutines, st.Ready, st.Suspended})
			require.EqualValues(t, coroutines, st.Spawned-st.Finished)
		}
		sizes(1, 0, 0)
		var all []*scheduler.Coroutine
		for range 10 {
			all = append(all, scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := scheduler.Suspend(ctx)
				return err
			}))
		}
		sizes(11, 10, 0)
		all[9].Cancel(nil) // in the queue still, but it has ended
		sizes(10, 9, 0)
		settle(t, ctx)
		sizes(10, 0, 9)
		for _, c := range all[:4] {
			require.NoError(t, c.Resume(nil))
		}
		sizes(10, 4, 5)
		settle(t, ctx)
		sizes(6, 0, 5)

		var inside scheduler.Stats
		s.Microtask(newTask(func() { inside = s.Stats() }))
		require.NoError(t, scheduler.Yield(ctx))
		require.Equal(t, 6, inside.Coroutines)
		require.Equal(t, 1, inside.Ready, "the one that gives way")
		require.Equal(t, 5, inside.Suspended)

		closed := scheduler.NewScope(ctx)
		closed.Cancel(nil)
		scheduler.Go(ctx, scheduler.Yield, scheduler.In(closed)) // refused
		sizes(6, 0, 5)
		for _, c := range all {
			c.Cancel(nil)
		}
		sizes(6, 5, 0)
		settle(t, ctx)
		sizes(1, 0, 0)
		return nil
	})
}

func TestStatsCounters(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		before := s.Stats()
		f := scheduler.Spawn(ctx, answer)
		_, _ = f.Await(ctx)
		require.NoError(t, scheduler.Go(ctx, scheduler.Yield).Await(ctx))
		s.Microtask(newTask(func() {}))
		require.NoError(t, s.Post(func() {}))
		require.NoError(t, scheduler.Sleep(ctx, 1))
		after := s.Stats()
		require.Equal(t, uint64(2), after.Spawned-before.Spawned)
		require.Equal(t, uint64(2), after.Finished-before.Finished)
		require.Equal(t, uint64(2), after.Microtasks-before.Microtasks)
		require.Greater(t, after.Switches, before.Switches)
		require.Greater(t, after.ReactorTicks, before.ReactorTicks)
		return nil
	})
}

// From any goroutine, before, while and after the loop runs.
func TestStatsFromAnywhere(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.Zero(t, s.Stats())
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			st := s.Stats()
			if st.Coroutines < 0 || st.Ready < 0 || st.Suspended < 0 || st.Ready+st.Suspended > st.Coroutines {
				t.Errorf("%+v", st)
			}
			_ = s.Snapshot()
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		for i := range 200 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for range i {
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return scheduler.Sleep(ctx, 1)
	}))
	close(stop)
	<-stopped
	st := s.Stats()
	require.Equal(t, uint64(201), st.Finished)
	require.Zero(t, st.Coroutines+st.Ready+st.Suspended)
}

func ExampleScheduler_Stats() {
	s := scheduler.New()
	_ = s.Run(context.Background(), func(ctx context.Context) error {
		for range 3 {
			scheduler.Go(ctx, scheduler.AwaitShutdown)
		}
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		st := s.Stats()
		fmt.Println(st.Coroutines, "coroutines,", st.Suspended, "suspended")
		s.Shutdown(nil)
		return nil
	})
	st := s.Stats()
	fmt.Println(st.Coroutines, "left,", st.Finished, "finished")
	// Output:
	// 4 coroutines, 3 suspended
	// 0 left, 4 finished
}
