package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// In a bubble of testing/synctest a loop runs on the bubble's fake time, together
// with goroutines and with Go's own timers. The bubble itself checks that no
// goroutine is left.
func TestSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := scheduler.Run(t.Context(), func(ctx context.Context) error {
			results := scheduler.NewChannel[string](ctx, 1)
			scope := scheduler.NewScope(ctx)
			for name, d := range map[string]time.Duration{"late": 2 * time.Hour, "soon": time.Hour} {
				scheduler.Go(ctx, func(ctx context.Context) error {
					if err := scheduler.Sleep(ctx, d); err != nil {
						return err
					}
					return results.Send(ctx, name)
				}, scheduler.In(scope))
			}
			for _, want := range []string{"soon", "late"} {
				got, err := results.Recv(ctx)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			require.NoError(t, scope.AwaitCompletion(ctx))
			require.Equal(t, 2*time.Hour, time.Since(began))

			late, cancel := scheduler.WithTimeout(ctx, time.Hour)
			defer cancel()
			require.ErrorIs(t, scheduler.Sleep(late, 24*time.Hour), context.DeadlineExceeded)

			// Package context's timers are the bubble's too.
			std, stop := context.WithTimeout(ctx, time.Hour)
			defer stop()
			require.ErrorIs(t, scheduler.Sleep(std, 24*time.Hour), context.DeadlineExceeded)
			require.Equal(t, 4*time.Hour, time.Since(began))

			slow, err := scheduler.Offload(ctx, func(context.Context) (string, error) {
				time.Sleep(time.Hour)
				return "slept", nil
			}).Await(ctx)
			require.Equal(t, "slept", slow)
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 5*time.Hour, time.Since(began))
	})
}

func TestSynctestAwaitFromAGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scheduler.New()
		done := make(chan error)
		go func() { done <- s.Run(t.Context(), scheduler.AwaitShutdown) }()
		got, err := scheduler.Submit(s, func(ctx context.Context) (int, error) {
			return 7, scheduler.Sleep(ctx, time.Hour)
		}).Await(t.Context())
		require.NoError(t, err)
		require.Equal(t, 7, got)

		// A loop that waits, and nothing else that runs: the bubble is at rest.
		synctest.Wait()
		s.Shutdown(nil)
		require.NoError(t, <-done)
	})
}

func TestSynctestDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := scheduler.Run(t.Context(), func(ctx context.Context) error {
			_, err := scheduler.Suspend(ctx)
			return err
		})
		var deadlock *scheduler.DeadlockError
		require.ErrorAs(t, err, &deadlock)
	})
}
