package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

var errBoom = errors.New("boom")

func TestShutdownCancelsDropsAndReturnsNil(t *testing.T) {
	clean(t)
	cause := errors.New("maintenance")
	var got error
	neverRan, dropped := true, false
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		worker := scheduler.Go(ctx, func(ctx context.Context) error {
			got = scheduler.Sleep(ctx, time.Hour)
			return got
		})
		require.NoError(t, scheduler.Yield(ctx))
		unstarted := scheduler.Go(ctx, func(context.Context) error { neverRan = false; return nil })
		unstarted.Finally(func(*scheduler.Coroutine) { dropped = true })
		scheduler.Current(ctx).Scheduler().Shutdown(cause)
		require.True(t, unstarted.Cancelled())
		require.True(t, worker.CancelRequested())
		return scheduler.AwaitShutdown(ctx)
	})
	require.NoError(t, err)
	require.ErrorIs(t, got, context.Canceled)
	require.ErrorIs(t, got, cause)
	require.ErrorIs(t, got, scheduler.ErrShutdown)
	require.True(t, neverRan)
	require.True(t, dropped)
}

// Clean-up that suspends has the grace for it.
func TestShutdownLetsCleanUpSuspend(t *testing.T) {
	clean(t)
	cleaned := false
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() {
				_ = scheduler.Protect(ctx, func(ctx context.Context) error {
					require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
					require.NoError(t, scheduler.Yield(ctx))
					cleaned = true
					return nil
				})
			}()
			return scheduler.AwaitShutdown(ctx)
		})
		require.NoError(t, scheduler.Yield(ctx))
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	})
	require.NoError(t, err)
	require.True(t, cleaned)
}

func TestShutdownByTheEndOfTheCtx(t *testing.T) {
	clean(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	var cause error
	err := scheduler.Run(ctx, func(ctx context.Context) error {
		go cancel(errBoom)
		err := scheduler.AwaitShutdown(ctx)
		cause = context.Cause(ctx)
		return err
	})
	require.NoError(t, err)
	require.ErrorIs(t, cause, errBoom)
}

// A ctx that has ended before Run lets main see it.
func TestRunUnderAnEndedCtx(t *testing.T) {
	clean(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	require.NoError(t, scheduler.Run(ctx, func(ctx context.Context) error {
		ran = true
		return scheduler.AwaitShutdown(ctx)
	}))
	require.True(t, ran)
}

func TestShutdownBeforeRun(t *testing.T) {
	clean(t)
	s := scheduler.New()
	s.Shutdown(errBoom)
	ran := false
	require.NoError(t, s.Run(t.Context(), func(ctx context.Context) error {
		ran = true
		return scheduler.AwaitShutdown(ctx)
	}))
	require.True(t, ran)
}

// A shutdown that comes while Run begins, from a main-start handler or from
// another goroutine, ends what has begun.
func TestShutdownDuringTheStart(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.NoError(t, s.OnMainStart(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool {
		s.Shutdown(errBoom)
		return false
	}}))
	var got error
	require.NoError(t, s.Run(t.Context(), func(ctx context.Context) error {
		got = scheduler.AwaitShutdown(ctx)
		return got
	}))
	require.ErrorIs(t, got, errBoom)

	for range 200 {
		s := scheduler.New()
		go s.Shutdown(errBoom)
		require.NoError(t, s.Run(t.Context(), scheduler.AwaitShutdown))
	}
}

func TestShutdownTwiceAndAfterTheEnd(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.NoError(t, s.Run(t.Context(), func(ctx context.Context) error {
		s.Shutdown(nil)
		s.Shutdown(errBoom)
		err := scheduler.AwaitShutdown(ctx)
		require.NotErrorIs(t, err, errBoom, "the first cause stays")
		return err
	}))
	s.Shutdown(errBoom)
	require.ErrorIs(t, s.Run(t.Context(), func(context.Context) error { return nil }), scheduler.ErrFinished)
}

// An unhandled failure shuts down; Run returns it, in a composite.
func TestUnhandledFailureShutsDown(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(context.Context) error { return errBoom })
		return scheduler.AwaitShutdown(ctx)
	})
	var composite *scheduler.CompositeError
	require.ErrorAs(t, err, &composite)
	require.Equal(t, []error{errBoom}, composite.Errs)
}

func TestMainFailureShutsTheRestDown(t *testing.T) {
	clean(t)
	var got error
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			got = scheduler.AwaitShutdown(ctx)
			return got
		})
		_ = scheduler.Yield(ctx)
		return errBoom
	})
	require.Equal(t, errBoom, err)
	require.ErrorIs(t, got, errBoom)
}

// After a second unhandled failure nothing waits any more: each suspension fails
// at once, cut off from cancellation or not.
func TestSecondFailureGoesStraightToTheEnd(t *testing.T) {
	clean(t)
	second := errors.New("second")
	var inCleanUp error
	unwound := 0
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() { unwound++ }()
			deaf := context.WithoutCancel(ctx)
			_ = scheduler.Sleep(deaf, time.Hour)
			inCleanUp = scheduler.Sleep(deaf, time.Hour)
			return nil
		})
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() { unwound++ }()
			_ = scheduler.AwaitShutdown(ctx)
			return second
		})
		_ = scheduler.Yield(ctx)
		return errBoom
	}, scheduler.InOrder())
	require.ErrorIs(t, err, errBoom)
	require.ErrorIs(t, err, second)
	require.ErrorIs(t, inCleanUp, context.Canceled)
	require.ErrorIs(t, inCleanUp, scheduler.ErrShutdown)
	require.Equal(t, 2, unwound)
}

func TestGraceIsLimited(t *testing.T) {
	for _, grace := range []time.Duration{0, time.Millisecond} {
		clean(t)
		unwound := false
		err := scheduler.Run(t.Context(), func(ctx context.Context) error {
			scheduler.Go(ctx, func(ctx context.Context) error {
				defer func() { unwound = true }()
				return scheduler.Sleep(context.WithoutCancel(ctx), time.Hour)
			})
			_ = scheduler.Yield(ctx)
			scheduler.Current(ctx).Scheduler().Shutdown(nil)
			return nil
		}, scheduler.WithGrace(grace))
		require.NoError(t, err)
		require.True(t, unwound)
	}
}

// A coroutine that takes no notice of anything is unwound, with its defers.
func TestCoroutineThatIgnoresItsCancellation(t *testing.T) {
	clean(t)
	unwound := false
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() { unwound = true }()
			for {
				_ = scheduler.Sleep(ctx, time.Hour)
			}
		})
		_ = scheduler.Yield(ctx)
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	}, scheduler.WithGrace(time.Millisecond))
	require.True(t, unwound)
	require.NoError(t, err)
}

// Nor can one that suspends in a deferred call hold up the end.
func TestDeferThatSuspendsInTheFinalCleanUp(t *testing.T) {
	clean(t)
	var got error
	after := false
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() { after = true }()
			defer func() { got = scheduler.Sleep(context.WithoutCancel(ctx), time.Hour) }()
			return scheduler.AwaitShutdown(ctx)
		})
		_ = scheduler.Yield(ctx)
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	}, scheduler.WithGrace(0))
	require.NoError(t, err)
	require.ErrorIs(t, got, context.Canceled)
	require.True(t, after)
}

func TestFailureDuringCleanUpIsReturned(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			_ = scheduler.AwaitShutdown(ctx)
			return errBoom
		})
		_ = scheduler.Yield(ctx)
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	})
	require.ErrorIs(t, err, errBoom)
}

func TestSpawnsDuringAShutdownAreRefused(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		c := scheduler.Go(ctx, func(context.Context) error { return nil })
		require.Equal(t, scheduler.Finished, c.State())
		require.ErrorIs(t, c.Await(ctx), scheduler.ErrScopeClosed)
		_, err := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 1, nil }).Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrScopeClosed)
		return nil
	})
	require.NoError(t, err)
}

// A goroutine that holds its thread may run a loop, and has it back.
func TestFault_GO6_RunOnALockedThread(t *testing.T) {
	clean(t)
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		done <- scheduler.Run(t.Context(), func(ctx context.Context) error {
			var all scheduler.WaitGroup
			for range 10 {
				all.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Microsecond) })
			}
			return all.Wait(ctx)
		})
	}()
	require.NoError(t, <-done)
}

// TA-19: a shutdown with timers armed, offloaded work and futures pending returns.
func TestFault_TA19_ShutdownWithEverythingPending(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		for range 10 {
			scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Hour) })
			scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := scheduler.Offload(ctx, func(ctx context.Context) (int, error) {
					<-ctx.Done()
					return 0, ctx.Err()
				}).Await(ctx)
				return err
			})
			scheduler.Go(ctx, func(ctx context.Context) error {
				f, _ := scheduler.NewExternal[int](ctx)
				_, err := f.Await(ctx)
				return err
			})
		}
		_ = scheduler.Yield(ctx)
		go s.Shutdown(nil)
		return scheduler.AwaitShutdown(ctx)
	})
	require.NoError(t, err)
}

// TM-1: whatever is parked when Run ends is unwound.
func TestFault_TM1_NothingStaysParked(t *testing.T) {
	clean(t)
	unwound := 0
	_ = scheduler.Run(t.Context(), func(ctx context.Context) error {
		for range 1000 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				defer func() { unwound++ }()
				_, err := scheduler.Suspend(ctx)
				return err
			})
		}
		return scheduler.Yield(ctx)
	})
	require.Equal(t, 1000, unwound)
}

// Timers that are armed when the last coroutine ends do not outlive Run.
func TestNoTimerIsLeft(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.NoError(t, s.Run(t.Context(), func(ctx context.Context) error {
		require.NoError(t, s.Reactor().NewTimer(time.Hour, time.Hour).Start())
		_, cancel := scheduler.WithTimeout(ctx, time.Hour)
		t.Cleanup(cancel)
		scheduler.NewScope(ctx).DisposeAfter(time.Hour)
		return nil
	}))
	_, armed := s.Reactor().NextTimer()
	require.False(t, armed)
	require.False(t, s.Reactor().Alive())
	_, err := s.Reactor().Execute(true)
	require.ErrorIs(t, err, net.ErrClosed)
}

// What cleans up in time ends by itself; what does not is unwound, its defers run.
func ExampleScheduler_Shutdown() {
	s := scheduler.New(scheduler.WithGrace(time.Minute), scheduler.WithClock(schedtest.NewClock(schedtest.Start)))
	err := s.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			end := scheduler.AwaitShutdown(ctx)
			fmt.Println(end)
			return errors.Join(end, scheduler.Protect(ctx, func(ctx context.Context) error {
				err := scheduler.Sleep(ctx, time.Second) // ctx would end this one at once outside of Protect
				fmt.Println("cleaned up:", err)
				return err
			}))
		})
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer fmt.Println("unwound")
			return scheduler.Sleep(context.WithoutCancel(ctx), time.Hour)
		})
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		s.Shutdown(errors.New("SIGTERM"))
		return nil
	})
	fmt.Println(err)
	// Output:
	// scheduler: cancelled: scheduler: shutdown: SIGTERM
	// cleaned up: <nil>
	// unwound
	// <nil>
}
