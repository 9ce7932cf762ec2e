package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

func TestSnapshotIsTheTree(t *testing.T) {
	clean(t)
	s := scheduler.New(scheduler.WithClock(schedtest.NewClock(schedtest.Start)))
	require.Empty(t, s.Snapshot().Scopes[0].Coroutines, "before Run")
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		outer := scheduler.NewScope(ctx, scheduler.ScopeName("outer"))
		inner := outer.NewChild(scheduler.ScopeName("inner"))
		f, _ := scheduler.NewFuture[int](ctx)
		var at string
		asleep := scheduler.Go(ctx, func(ctx context.Context) error {
			at = here(1)
			return scheduler.Sleep(ctx, time.Hour)
		}, scheduler.In(outer), scheduler.Named("sleeper"))
		spawned := here(-4)
		waits := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return f.Await(ctx) }, scheduler.In(inner))
		require.NoError(t, scheduler.Sleep(ctx, time.Minute))
		queued := scheduler.Go(ctx, scheduler.Yield, scheduler.In(inner))

		snap := s.Snapshot()
		require.Len(t, snap.Scopes, 1)
		root := snap.Scopes[0]
		require.Equal(t, "", root.Name)
		require.Len(t, root.Coroutines, 1)
		require.Equal(t, "running", root.Coroutines[0].State)
		require.Equal(t, time.Minute, root.Coroutines[0].Age)
		require.Empty(t, root.Coroutines[0].SuspendedAt)
		require.Zero(t, root.Coroutines[0].Parked)

		require.Len(t, root.Scopes, 1)
		o := root.Scopes[0]
		require.Equal(t, "outer", o.Name)
		require.Equal(t, []scheduler.CoroutineInfo{{
			ID: asleep.ID(), Name: "sleeper", State: "suspended", SpawnedAt: spawned, SuspendedAt: at,
			WaitsFor: []string{"timer 1h0m0s"}, Age: time.Minute, Parked: time.Minute,
		}}, o.Coroutines)

		require.Len(t, o.Scopes, 1)
		i := o.Scopes[0]
		require.Equal(t, "inner", i.Name)
		require.Len(t, i.Coroutines, 2)
		require.Equal(t, []string{fmt.Sprint(f)}, i.Coroutines[0].WaitsFor)
		require.Contains(t, i.Coroutines[0].WaitsFor[0], "snapshot_test.go:")
		require.Equal(t, "created", i.Coroutines[1].State)
		require.Equal(t, queued.ID(), i.Coroutines[1].ID)
		require.Zero(t, i.Coroutines[1].Age)
		outer.Cancel(nil)
		_, err := waits.Await(ctx)
		require.ErrorIs(t, err, context.Canceled)
		return nil
	}))
	require.Empty(t, s.Snapshot().Scopes[0].Coroutines, "after the end")
}

// A snapshot that is taken from elsewhere shows main where it is parked.
func TestSnapshotFromAnotherGoroutine(t *testing.T) {
	clean(t)
	s := serving(t)
	var main scheduler.CoroutineInfo
	for main.State != "suspended" {
		if all := s.Snapshot().Scopes[0].Coroutines; len(all) == 1 {
			main = all[0]
		}
	}
	require.Equal(t, []string{"shutdown"}, main.WaitsFor)
	require.Contains(t, main.SpawnedAt, "submit_test.go:")
}

// What each way of waiting is called.
func TestSnapshotSaysWhatIsWaitedFor(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		ch := scheduler.NewChannel[int](ctx, 0)
		var mu scheduler.Mutex
		require.True(t, mu.TryLock())
		sem := scheduler.NewSemaphore(1)
		require.True(t, sem.TryAcquire(1))
		var wg scheduler.WaitGroup
		wg.Add(1)
		sc := scheduler.NewScope(ctx, scheduler.ScopeName("busy"))
		first := scheduler.Go(ctx, func(ctx context.Context) error { _, err := scheduler.Suspend(ctx); return err }, scheduler.In(sc), scheduler.Named("first"))
		ways := map[string]func(context.Context) error{
			"mutex":           mu.Lock,
			"wait group":      wg.Wait,
			"semaphore":       func(ctx context.Context) error { return sem.Acquire(ctx, 1) },
			"channel receive": func(ctx context.Context) error { _, err := ch.Recv(ctx); return err },
			"shutdown":        scheduler.AwaitShutdown,
			first.String():    first.Await,
			sc.String():       sc.AwaitCompletion,
		}
		for what, wait := range ways {
			c := scheduler.Go(ctx, wait)
			settle(t, ctx)
			found := false
			for _, info := range s.Snapshot().Scopes[0].Coroutines {
				if info.ID == c.ID() {
					found = true
					require.Equal(t, []string{what}, info.WaitsFor)
				}
			}
			require.True(t, found)
			c.Cancel(nil)
			settle(t, ctx)
		}
		first.Cancel(nil)
		return nil
	})
}

func ExampleScheduler_Snapshot() {
	s := scheduler.New()
	_ = s.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			return scheduler.Sleep(ctx, time.Hour)
		}, scheduler.Named("sleeper"))
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		for _, c := range s.Snapshot().Scopes[0].Coroutines {
			fmt.Printf("%q is %s %v\n", c.Name, c.State, c.WaitsFor)
		}
		s.Shutdown(nil)
		return nil
	})
	// Output:
	// "" is running []
	// "sleeper" is suspended [timer 1h0m0s]
}
