package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestDeadlockIsReportedWithPlaces(t *testing.T) {
	clean(t)
	unwound := 0
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		never, _ := scheduler.NewFuture[int](ctx)
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() { unwound++ }()
			_, err := never.Await(ctx)
			return err
		}, scheduler.Named("waiter"))
		ch := scheduler.NewChannel[int](ctx, 0)
		defer func() { unwound++ }()
		_, err := ch.Recv(ctx)
		return err
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
	require.Same(t, deadlock, err, "nothing else went wrong")
	require.Equal(t, 2, unwound)
	require.Len(t, deadlock.Coroutines, 2)

	main, waiter := deadlock.Coroutines[0], deadlock.Coroutines[1]
	require.Equal(t, []string{"channel receive"}, main.WaitsFor)
	require.Equal(t, "waiter", waiter.Name)
	require.Equal(t, "suspended", waiter.State)
	for _, c := range deadlock.Coroutines {
		require.Contains(t, c.SpawnedAt, "deadlock_test.go:")
		require.Contains(t, c.SuspendedAt, "deadlock_test.go:")
		require.NotEqual(t, c.SpawnedAt, c.SuspendedAt)
	}
	require.Contains(t, waiter.WaitsFor[0], "future made at ")
	require.Contains(t, err.Error(), `"waiter"`)
	require.Contains(t, err.Error(), "channel receive")
}

// The report is returned also where every coroutine handles its cancellation.
func TestDeadlockIsReturnedThoughItIsHandled(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(ctx)
		var deadlock *scheduler.DeadlockError
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorAs(t, err, &deadlock)
		return nil
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
}

// What waits is cut off from its cancellation: protection is lifted.
func TestDeadlockLiftsProtection(t *testing.T) {
	clean(t)
	unwound := false
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		return scheduler.Protect(ctx, func(ctx context.Context) error {
			defer func() { unwound = true }()
			_, err := scheduler.Suspend(ctx)
			return err
		})
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
	require.True(t, unwound)
}

// One that waits again, deaf to its cancellation, cannot hang Run.
func TestDeadlockThatIsEnteredAgain(t *testing.T) {
	clean(t)
	rounds := 0
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		deaf := context.WithoutCancel(ctx)
		for range 10 {
			rounds++
			_, _ = scheduler.Suspend(deaf)
		}
		return nil
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
	require.Equal(t, 10, rounds)
}

func TestNoDeadlockWhileSomethingMayCome(t *testing.T) {
	waits := map[string]func(ctx context.Context) error{
		"sleep": func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Millisecond) },
		"offload": func(ctx context.Context) error {
			_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { return 0, nil }).Await(ctx)
			return err
		},
		"external future": func(ctx context.Context) error {
			f, r := scheduler.NewExternal[int](ctx)
			go func() { _ = r.Complete(1) }()
			_, err := f.Await(ctx)
			return err
		},
		"ctx that may end": func(ctx context.Context) error {
			ctx, cancel := context.WithCancel(ctx)
			go cancel()
			if _, err := scheduler.Suspend(ctx); !errors.Is(err, context.Canceled) {
				return errors.New("not cancelled")
			}
			return nil
		},
		"timeout": func(ctx context.Context) error {
			ctx, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if _, err := scheduler.Suspend(ctx); !errors.Is(err, context.DeadlineExceeded) {
				return errors.New("no timeout")
			}
			return nil
		},
		"shutdown": func(ctx context.Context) error {
			s := scheduler.Current(ctx).Scheduler()
			go s.Shutdown(nil)
			return scheduler.AwaitShutdown(ctx)
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			clean(t)
			require.NoError(t, scheduler.Run(t.Context(), wait))
		})
	}
}

func TestWhatDoesNotHoldTheLoop(t *testing.T) {
	waits := map[string]func(ctx context.Context){
		"a ctx of WithValue": func(ctx context.Context) {
			_, _ = scheduler.Suspend(context.WithValue(ctx, ctxKey{}, 1))
		},
		"an external future nobody waits for": func(ctx context.Context) {
			_, _ = scheduler.NewExternal[int](ctx)
			_, _ = scheduler.Suspend(ctx)
		},
		"a timer that lets the loop end": func(ctx context.Context) {
			timer := scheduler.Current(ctx).Scheduler().Reactor().NewTimer(time.Hour, 0).Unref()
			_ = timer.Start()
			defer timer.Stop()
			_, _ = scheduler.Suspend(ctx)
		},
		"a timeout nobody waits under": func(ctx context.Context) {
			_, cancel := scheduler.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, _ = scheduler.Suspend(ctx)
		},
		"two that wait for each other": func(ctx context.Context) {
			main := scheduler.Current(ctx)
			c := scheduler.Go(ctx, func(ctx context.Context) error { return main.Await(ctx) })
			_ = c.Await(ctx)
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			clean(t)
			err := scheduler.Run(t.Context(), func(ctx context.Context) error {
				wait(ctx)
				return nil
			})
			var deadlock *scheduler.DeadlockError
			require.ErrorAs(t, err, &deadlock)
		})
	}
}

func ExampleDeadlockError() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		orders := scheduler.NewChannel[string](ctx, 0)
		_, err := orders.Recv(ctx) // nobody sends
		return err
	})
	var dead *scheduler.DeadlockError
	if errors.As(err, &dead) {
		fmt.Println("deadlock of", len(dead.Coroutines))
		for _, c := range dead.Coroutines {
			fmt.Println("waits for", c.WaitsFor)
		}
	}
	// Output:
	// deadlock of 1
	// waits for [channel receive]
}

type ctxKey struct{}

func TestDeadlockReportOfACustomEvent(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		_, err := scheduler.Suspend(ctx, silentEvent{}, silentEvent{})
		return err
	})
	require.Equal(t, 2, strings.Count(err.Error(), "the end of the world"))
}

// silentEvent never fires.
type silentEvent struct{}

func (silentEvent) Start() error                      { return nil }
func (silentEvent) Stop()                             {}
func (silentEvent) Subscribe(func(error)) (un func()) { return func() {} }
func (silentEvent) String() string                    { return "the end of the world" }
