package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/microtask"
	"github.com/trueasync/trueasync-go/scheduler"
)

// inLoop runs main and fails t on an error.
func inLoop(t *testing.T, main func(ctx context.Context, s *scheduler.Scheduler), opts ...scheduler.Option) {
	t.Helper()
	clean(t)
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error {
		main(ctx, scheduler.Current(ctx).Scheduler())
		return nil
	}, opts...))
}

// spent is what fn adds to the counters.
func spent(s *scheduler.Scheduler, fn func()) scheduler.Stats {
	before := s.Stats()
	fn()
	after := s.Stats()
	return scheduler.Stats{
		Spawned: after.Spawned - before.Spawned, Finished: after.Finished - before.Finished,
		Switches: after.Switches - before.Switches, DirectStarts: after.DirectStarts - before.DirectStarts,
		FastReturns: after.FastReturns - before.FastReturns, Microtasks: after.Microtasks - before.Microtasks,
		ReactorTicks: after.ReactorTicks - before.ReactorTicks,
	}
}

func TestOneSwitchPerSuspension(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		const rounds = 100
		scheduler.Go(ctx, func(ctx context.Context) error {
			for range rounds {
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx)) // the other has its stack now
		used := spent(s, func() {
			for range rounds - 1 {
				require.NoError(t, scheduler.Yield(ctx))
			}
		})
		require.Equal(t, uint64(2*(rounds-1)), used.Switches, "a switch there and a switch back")
	}, scheduler.InOrder())
}

func TestNoSwitchFromOneThatEndedToOneThatBegins(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		ran := 0
		for range 100 {
			scheduler.Go(ctx, func(context.Context) error { ran++; return nil })
		}
		used := spent(s, func() { require.NoError(t, scheduler.Yield(ctx)) })
		require.Equal(t, 100, ran)
		require.Equal(t, uint64(99), used.DirectStarts)
		require.Equal(t, uint64(2), used.Switches, "to the first, and back from the last")
	}, scheduler.InOrder())
}

func TestAwaitOfWhatIsThereNeverSuspends(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		f := scheduler.Completed(7)
		ended := scheduler.Go(ctx, func(context.Context) error { return nil })
		require.NoError(t, ended.Await(ctx))
		scheduler.Go(ctx, func(context.Context) error { return nil }) // is ready all the while
		used := spent(s, func() {
			for range 1000 {
				_, err := f.Await(ctx)
				require.NoError(t, err)
				require.NoError(t, ended.Await(ctx))
			}
			fired, err := scheduler.Suspend(ctx, ended)
			require.NoError(t, err)
			require.Equal(t, ended, fired)
		})
		require.Zero(t, used.Switches)
		require.Zero(t, used.Finished)
	})
}

// A coroutine that is alone goes on without a switch, and so does one that is
// woken before another is ready.
func TestNoSwitchWhereNobodyElseIsReady(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		used := spent(s, func() {
			for range 100 {
				require.NoError(t, scheduler.Yield(ctx))
			}
			require.NoError(t, scheduler.Sleep(ctx, time.Microsecond))
		})
		require.Zero(t, used.Switches)
	})
}

// TR-5: N yielders take turns.
func TestFault_TR5_YieldersTakeTurns(t *testing.T) {
	inLoop(t, func(ctx context.Context, _ *scheduler.Scheduler) {
		const n, rounds = 7, 200
		turns := takeTurns(t, ctx, n, rounds)
		for at, who := range turns[:n*(rounds-1)] {
			require.Equal(t, who, turns[at+n])
		}
	}, scheduler.InOrder())
}

// In permuted order, between two turns of one every other has one or two, and
// never none... in any two rounds.
func TestFault_TR5_PermutedYieldersTakeTurns(t *testing.T) {
	for seed := range uint64(20) {
		inLoop(t, func(ctx context.Context, _ *scheduler.Scheduler) {
			const n, rounds = 5, 50
			turns := takeTurns(t, ctx, n, rounds)
			for who := range n {
				for other := range n {
					if who != other {
						require.LessOrEqual(t, mostBetween(turns, who, other), 2)
					}
				}
			}
		}, scheduler.WithSeed(seed))
	}
}

// takeTurns has n coroutines yield so many times each, and says whose turns they were.
func takeTurns(t *testing.T, ctx context.Context, n, rounds int) (turns []int) {
	for i := range n {
		scheduler.Go(ctx, func(ctx context.Context) error {
			for range rounds {
				turns = append(turns, i)
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for len(turns) < n*rounds {
		require.NoError(t, scheduler.Yield(ctx))
	}
	return turns
}

// mostBetween is the most turns that other has between two of who.
func mostBetween(turns []int, who, other int) (most int) {
	n := 0
	for _, t := range turns {
		switch t {
		case other:
			n++
			most = max(most, n)
		case who:
			n = 0
		}
	}
	return most
}

// TK-3: a run queue that is never empty starves neither timers, nor posts, nor
// microtasks, nor a shutdown.
func TestFault_TK3_BusyQueueStarvesNothing(t *testing.T) {
	clean(t)
	var timer, posted, micro bool
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		for range 100 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for {
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
			})
		}
		scheduler.Go(ctx, func(ctx context.Context) error {
			err := scheduler.Sleep(ctx, time.Millisecond)
			timer = true
			return err
		})
		s.Microtask(microtask.New(func() error { micro = true; return nil }, nil))
		go func() { _ = s.Post(func() { posted = true }) }()
		for !timer || !posted || !micro {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		go s.Shutdown(nil)
		return scheduler.AwaitShutdown(ctx)
	})
	require.NoError(t, err)
}

// Coroutines that hold the loop for long narrow the window between two looks.
func TestSlowCoroutinesDoNotHoldUpTimers(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		done := false
		for range 10 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for !done {
					for began := time.Now(); time.Since(began) < 2*time.Millisecond; {
					}
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(t, scheduler.Sleep(ctx, 5*time.Millisecond))
		used := spent(s, func() {
			for range 20 {
				require.NoError(t, scheduler.Yield(ctx))
			}
		})
		done = true
		require.Greater(t, used.ReactorTicks, uint64(50), "of 220 turns of 2 ms, most are followed by a look")
	})
}

// TA-5: a sleep begins when it is called, however old the loop's last look is.
func TestFault_TA5_SleepCountsFromTheCall(t *testing.T) {
	inLoop(t, func(ctx context.Context, _ *scheduler.Scheduler) {
		for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
		}
		called := time.Now()
		require.NoError(t, scheduler.Sleep(ctx, 20*time.Millisecond))
		require.GreaterOrEqual(t, time.Since(called), 20*time.Millisecond)
	})
}

// LU-4: neither a sleep of nothing nor microtasks that queue themselves starve
// the rest.
func TestFault_LU4_WhatRearmsItselfStarvesNothing(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		stop := false
		scheduler.Go(ctx, func(ctx context.Context) error {
			for !stop {
				if err := scheduler.Sleep(ctx, 0); err != nil {
					return err
				}
			}
			return nil
		})
		var again *microtask.Task
		again = microtask.New(func() error {
			if !stop {
				s.Microtask(again)
			}
			return nil
		}, nil)
		s.Microtask(again)
		require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		for range 10 {
			require.NoError(t, scheduler.Yield(ctx))
		}
		stop = true
	})
}

func TestMicrotasksRunBeforeTheNextCoroutine(t *testing.T) {
	inLoop(t, func(ctx context.Context, s *scheduler.Scheduler) {
		var got []string
		note := func(what string) func() error {
			return func() error { got = append(got, what); return nil }
		}
		scheduler.Go(ctx, func(context.Context) error { return note("coroutine")() })
		s.Microtask(microtask.New(func() error {
			s.Microtask(microtask.New(note("third"), nil))
			return note("first")()
		}, nil))
		s.Microtask(microtask.New(note("second"), nil))
		require.NoError(t, scheduler.Yield(ctx))
		require.Equal(t, []string{"first", "second", "third", "coroutine"}, got)
	}, scheduler.InOrder())
}

func TestMicrotaskErrorsAndPanicsAreUnhandledFailures(t *testing.T) {
	for _, handler := range []func() error{
		func() error { return errBoom },
		func() error { panic(errBoom) },
	} {
		clean(t)
		ran := false
		err := scheduler.Run(t.Context(), func(ctx context.Context) error {
			s := scheduler.Current(ctx).Scheduler()
			s.Microtask(microtask.New(handler, nil))
			s.Microtask(microtask.New(func() error { ran = true; return nil }, nil))
			return scheduler.AwaitShutdown(ctx)
		}, scheduler.WithLogger(nil))
		require.ErrorIs(t, err, errBoom)
		require.True(t, ran, "what was queued behind it still runs")
	}
}

// What never runs is released all the same.
func TestMicrotasksLeftAtTheEndAreReleased(t *testing.T) {
	clean(t)
	queued, released := 0, 0
	_ = scheduler.Run(t.Context(), func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		s.Microtask(microtask.New(func() error { return errBoom }, nil))
		s.Microtask(microtask.New(func() error { return errors.New("second") }, nil))
		for range 5 {
			queued++
			task := microtask.New(func() error { return errBoom }, func() { released++ })
			s.Microtask(task)
			task.Release()
		}
		return nil
	}, scheduler.WithGrace(0))
	require.Equal(t, queued, released)
}

func TestPermutedOrderIsReproducible(t *testing.T) {
	order := func(seed uint64) (turns []int) {
		inLoop(t, func(ctx context.Context, _ *scheduler.Scheduler) {
			for i := range 10 {
				scheduler.Go(ctx, func(ctx context.Context) error {
					turns = append(turns, i)
					err := scheduler.Yield(ctx)
					turns = append(turns, i)
					return err
				})
			}
		}, scheduler.WithSeed(seed))
		return turns
	}
	first := order(1)
	require.Equal(t, first, order(1))
	require.NotEqual(t, first, order(2))
	require.False(t, slices.IsSorted(first[:10]) && slices.IsSorted(order(2)[:10]))
}

func ExampleScheduler_Microtask() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(context.Context) error { fmt.Println("the next coroutine"); return nil })
		flush := microtask.New(func() error { fmt.Println("between the two"); return nil }, nil)
		scheduler.Current(ctx).Scheduler().Microtask(flush)
		flush.Release()
		fmt.Println("this coroutine")
		return nil
	})
	// Output:
	// this coroutine
	// between the two
	// the next coroutine
}

// The same seed gives the same order, so that one which shows a bug can be had again.
func ExampleWithSeed() {
	order := func(seed uint64) (ran string) {
		_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
			for _, name := range "abcdefgh" {
				scheduler.Go(ctx, func(context.Context) error { ran += string(name); return nil })
			}
			return nil
		}, scheduler.WithSeed(seed))
		return ran
	}
	first := order(1)
	fmt.Println("the same again:", order(1) == first)
	fmt.Println("as spawned:", first == "abcdefgh")
	// Output:
	// the same again: true
	// as spawned: false
}
