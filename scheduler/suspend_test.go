package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

func timer(ctx context.Context, d time.Duration) *reactor.Timer {
	return scheduler.Current(ctx).Scheduler().Reactor().NewTimer(d, 0)
}

func TestSuspendReturnsTheEventThatFired(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		slow, fast := timer(ctx, time.Hour), timer(ctx, time.Second)
		custom := &flag{}
		fired, err := scheduler.Suspend(ctx, slow, custom, fast)
		require.NoError(t, err)
		require.True(t, fired == reactor.Event(fast))
		require.Equal(t, 1, custom.starts)
		require.Equal(t, 1, custom.stops)
		require.Empty(t, custom.subs)
		require.False(t, scheduler.Current(ctx).Scheduler().Reactor().Alive(), "the rest is disarmed")
		return nil
	}, virtual())
}

func TestOfTwoThatFireTheFirstIsReturned(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := &flag{}, &flag{}
		scheduler.Go(ctx, func(context.Context) error {
			b.fire(errBoom)
			a.fire(nil)
			return nil
		})
		fired, err := scheduler.Suspend(ctx, a, b)
		require.True(t, fired == reactor.Event(b))
		require.Equal(t, errBoom, err)
		return nil
	})
}

// Prepare first, arm last: what has fired already is returned at once, and nothing
// is armed.
func TestSuspendOnWhatHasFiredArmsNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		ran := false
		scheduler.Go(ctx, func(context.Context) error { ran = true; return nil })
		before := s.Stats()
		first, fired := &flag{}, &flag{set: true}
		last := &flag{}
		got, err := scheduler.Suspend(ctx, first, fired, last)
		require.NoError(t, err)
		require.True(t, got == reactor.Event(fired))
		require.Zero(t, first.starts+fired.starts+last.starts)
		require.Zero(t, first.stops+fired.stops+last.stops)
		require.Empty(t, first.subs)
		require.False(t, ran)
		require.Equal(t, before.Switches, s.Stats().Switches)
		require.Equal(t, before.FastReturns+1, s.Stats().FastReturns)
		return nil
	})
}

func TestAnEventThatFiresWhileItIsArmed(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		a, b := &flag{}, &flag{}
		a.onStart = func() error { a.fire(nil); return nil }
		before := s.Stats().Switches
		fired, err := scheduler.Suspend(ctx, a, b)
		require.NoError(t, err)
		require.True(t, fired == reactor.Event(a))
		require.Equal(t, before, s.Stats().Switches)
		require.Equal(t, 1, a.stops, "what was started is stopped")
		require.Zero(t, b.starts+b.stops, "and nothing else")
		require.Empty(t, b.subs)
		return nil
	})
}

func TestFailureOfAStartIsTheSuspensions(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b, last := &flag{}, &flag{onStart: func() error { return errBoom }}, &flag{}
		fired, err := scheduler.Suspend(ctx, a, b, last)
		require.Equal(t, errBoom, err)
		require.True(t, fired == reactor.Event(b))
		require.Equal(t, []int{1, 1, 1, 0, 0, 0}, []int{a.starts, a.stops, b.starts, b.stops, last.starts, last.stops})
		return nil
	})
}

// The methods of a user's event are callbacks: they cannot suspend, and what they
// panic with is the suspension's error.
func TestMethodsOfACustomEvent(t *testing.T) {
	run(t, func(ctx context.Context) error {
		within := func() {
			require.ErrorIs(t, scheduler.Yield(ctx), scheduler.ErrNotCoroutine)
			require.ErrorIs(t, scheduler.Sleep(ctx, 1), scheduler.ErrNotCoroutine)
		}
		e := &flag{subscribeFirst: within}
		e.onStart = func() error { within(); e.fire(nil); return nil }
		_, err := scheduler.Suspend(ctx, e)
		require.NoError(t, err)

		e = &flag{onStart: func() error { panic(errBoom) }}
		fired, err := scheduler.Suspend(ctx, &flag{}, e)
		require.ErrorIs(t, err, errBoom)
		require.True(t, fired == reactor.Event(e))
		require.Empty(t, e.subs)

		e = &flag{subscribeFirst: func() { panic(errBoom) }}
		_, err = scheduler.Suspend(ctx, e)
		require.ErrorIs(t, err, errBoom)
		require.Zero(t, e.starts)
		return scheduler.Yield(ctx)
	}, silent())
}

func TestACustomEventThatFiresTooLateIsNotHeard(t *testing.T) {
	run(t, func(ctx context.Context) error {
		e := &flag{}
		scheduler.Go(ctx, func(context.Context) error { e.fire(nil); return nil })
		_, err := scheduler.Suspend(ctx, e)
		require.NoError(t, err)
		scheduler.Go(ctx, func(context.Context) error { e.calledTooLate(errBoom); return nil })
		return scheduler.Sleep(ctx, 1)
	})
}

// A custom event does not hold the loop.
func TestWaitingForACustomEventAloneIsADeadlock(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		_, err := scheduler.Suspend(ctx, &flag{})
		return err
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
	require.Equal(t, []string{"flag"}, deadlock.Coroutines[0].WaitsFor)
}

func TestSuspendWithANilEventPanics(t *testing.T) {
	run(t, func(ctx context.Context) error {
		e := &flag{}
		tm := timer(ctx, time.Minute)
		require.PanicsWithError(t, "scheduler: Suspend with a nil event", func() { _, _ = scheduler.Suspend(ctx, tm, e, nil) })
		require.Empty(t, e.subs)
		_, err := scheduler.Suspend(ctx, timer(ctx, 1), tm)
		return err
	})
}

// The same event may be waited for by many, and twice by one: starts are counted.
func TestFault_TA6_StartsAreCounted(t *testing.T) {
	run(t, func(ctx context.Context) error {
		r := scheduler.Current(ctx).Scheduler().Reactor()
		shared := timer(ctx, time.Minute)
		woken := 0
		var all []*scheduler.Coroutine
		for range 3 {
			all = append(all, scheduler.Go(ctx, func(ctx context.Context) error {
				fired, err := scheduler.Suspend(ctx, shared, shared)
				if err == nil {
					require.True(t, fired == reactor.Event(shared))
					woken++
				}
				return err
			}))
		}
		yields(ctx, 1)
		require.True(t, r.Alive())
		all[1].Cancel(nil)
		yields(ctx, 1)
		require.True(t, r.Alive(), "the others still wait")
		shared.Stop() // more often than it was started by the one who calls
		shared.Stop()
		require.NoError(t, all[0].Await(ctx))
		require.NoError(t, all[2].Await(ctx))
		require.Equal(t, 2, woken)
		require.False(t, r.Alive())
		shared.Stop()
		require.False(t, r.Alive())
		require.NoError(t, shared.Start())
		require.True(t, r.Alive())
		_, err := scheduler.Suspend(ctx, shared)
		require.NoError(t, err)
		require.False(t, r.Alive())
		return nil
	}, virtual())
}

// A suspension that a Goexit unwinds leaves nothing behind, and the coroutine's
// defers may suspend on.
func TestSuspendAfterAnUnwoundSuspension(t *testing.T) {
	clean(t)
	var deferred error
	e := &flag{}
	after := &flag{}
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		tm := timer(ctx, time.Hour)
		f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer func() { deferred = scheduler.Sleep(ctx, time.Second) }()
			e.onStart = func() error { runtime.Goexit(); return nil }
			_, err := scheduler.Suspend(ctx, tm, e, after)
			return 0, err
		})
		_, err := f.Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrGoexit)
		require.False(t, s.Reactor().Alive())
		require.Empty(t, e.subs)
		require.Empty(t, after.subs)
		// Nothing counts as a wait any more: what comes is a deadlock.
		_, err = scheduler.Suspend(ctx, &flag{})
		return err
	}, virtual())
	require.NoError(t, deferred)
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
}

// Who is not a coroutine with its own ctx is told so.
func TestWhoMaySuspend(t *testing.T) {
	_, err := scheduler.Suspend(context.Background())
	require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
	require.ErrorIs(t, scheduler.Yield(context.Background()), scheduler.ErrNotCoroutine)
	require.ErrorIs(t, scheduler.Sleep(context.Background(), 1), scheduler.ErrNotCoroutine)
	require.ErrorIs(t, scheduler.Protect(context.Background(), nil), scheduler.ErrNotCoroutine)
	require.ErrorIs(t, scheduler.AwaitShutdown(context.Background()), scheduler.ErrNotCoroutine)
	var ended context.Context
	run(t, func(ctx context.Context) error {
		ended = ctx
		elsewhere(func() {
			require.ErrorIs(t, scheduler.Yield(ctx), scheduler.ErrForeignGoroutine)
			derived, cancel := context.WithCancel(ctx)
			defer cancel()
			require.ErrorIs(t, scheduler.Sleep(derived, 1), scheduler.ErrForeignGoroutine)
		})
		other := scheduler.Go(ctx, func(context.Context) error {
			require.ErrorIs(t, scheduler.Yield(ctx), scheduler.ErrForeignGoroutine, "another coroutine's ctx")
			return nil
		})
		require.NoError(t, other.Await(ctx))
		require.ErrorIs(t, scheduler.Yield(other), scheduler.ErrForeignGoroutine, "of one that has ended")

		c := scheduler.Current(ctx)
		var fromCallback error
		require.NoError(t, c.Scheduler().Post(func() { fromCallback = scheduler.Yield(ctx) }))
		require.NoError(t, scheduler.Sleep(ctx, 1))
		require.ErrorIs(t, fromCallback, scheduler.ErrNotCoroutine)
		f, r := scheduler.NewFuture[int](ctx)
		f.Subscribe(func(error) { fromCallback = scheduler.Sleep(ctx, 1) })
		fromCallback = nil
		require.NoError(t, r.Complete(1))
		require.ErrorIs(t, fromCallback, scheduler.ErrNotCoroutine, "a callback on the stack of one that runs")
		require.Equal(t, c, c.Scheduler().Running())
		return nil
	})
	require.ErrorIs(t, scheduler.Yield(ended), scheduler.ErrForeignGoroutine)
}

func TestSleep(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		began := s.Now()
		require.NoError(t, scheduler.Sleep(ctx, time.Hour))
		require.Equal(t, time.Hour, s.Now().Sub(began))
		ran := false
		scheduler.Go(ctx, func(context.Context) error { ran = true; return nil })
		require.NoError(t, scheduler.Sleep(ctx, -time.Hour))
		require.True(t, ran, "a negative duration suspends as 0 does")
		require.Equal(t, time.Hour, s.Now().Sub(began))
		return nil
	}, virtual(), scheduler.InOrder())
}

// Between two turns of one yielder every other has one; in a permuted order, none
// to two: ABBA is the worst.
func TestFault_TR5_YieldIsFair(t *testing.T) {
	trace := func(fewest, most int, opts ...scheduler.Option) (order []int) {
		run(t, func(ctx context.Context) error {
			const n, rounds = 7, 20
			turns := make([]int, n)
			for i := range n {
				scheduler.Go(ctx, func(ctx context.Context) error {
					for range rounds {
						before := append([]int(nil), turns...)
						turns[i]++
						order = append(order, i)
						if err := scheduler.Yield(ctx); err != nil {
							return err
						}
						for j, n := range turns {
							if j != i && n < rounds {
								require.GreaterOrEqual(t, n-before[j], fewest)
								require.LessOrEqual(t, n-before[j], most)
							}
						}
					}
					return nil
				})
			}
			return nil
		}, opts...)
		return order
	}
	plain := trace(1, 1, scheduler.InOrder())
	for seed := range uint64(20) {
		seeded := trace(0, 2, scheduler.WithSeed(seed))
		require.Equal(t, seeded, trace(0, 2, scheduler.WithSeed(seed)), "reproducible")
		require.NotEqual(t, plain, seeded)
		require.ElementsMatch(t, plain, seeded)
	}
}

// Yield lets everything that is ready run before the caller does, and the reactor
// and posts are looked at within a bounded number of yields.
func TestFault_GL1_YieldGivesWay(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ran := 0
		for range 1000 {
			scheduler.Go(ctx, func(context.Context) error { ran++; return nil })
		}
		require.NoError(t, scheduler.Yield(ctx))
		require.Equal(t, 1000, ran)

		posted, due := false, false
		tm := timer(ctx, 0)
		tm.Subscribe(func(error) { due = true })
		require.NoError(t, tm.Start())
		require.NoError(t, scheduler.Current(ctx).Scheduler().Post(func() { posted = true }))
		for range 2 * 61 {
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.True(t, posted)
		require.True(t, due)
		return nil
	})
}

// One parent joins 10,000 children; awaiting what has ended costs no switch.
func TestFault_TK1_JoiningManyChildren(t *testing.T) {
	orders := []scheduler.Option{nil, scheduler.WithSeed(1)}
	for _, opt := range orders {
		opts := []scheduler.Option{}
		if opt != nil {
			opts = append(opts, opt)
		}
		run(t, func(ctx context.Context) error {
			s := scheduler.Current(ctx).Scheduler()
			fs := make([]*scheduler.Future[int], 10_000)
			for i := range fs {
				fs[i] = scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return i, scheduler.Yield(ctx) })
			}
			for i, f := range fs {
				v, err := f.Await(ctx)
				require.NoError(t, err)
				require.Equal(t, i, v)
			}
			before := s.Stats()
			for _, f := range fs {
				_, err := f.Await(ctx)
				require.NoError(t, err)
			}
			_, err := scheduler.AwaitAll(ctx, fs...)
			require.NoError(t, err)
			require.Equal(t, before.Switches, s.Stats().Switches)
			return nil
		}, opts...)
	}
}

// The runtime holds on to every live coroutine, whoever else has forgotten it.
func TestFault_PY6_CoroutinesAreHeldOnTo(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ended := 0
		for range 200 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				big := make([]byte, 10_000)
				if err := scheduler.Sleep(ctx, time.Millisecond); err != nil {
					return err
				}
				runtime.KeepAlive(big)
				ended++
				return nil
			})
		}
		for ended < 200 {
			runtime.GC()
			require.NoError(t, scheduler.Yield(ctx))
		}
		return nil
	})
}

// Run ends in a goroutine that is locked to its thread.
func TestFault_GO6_LockedThread(t *testing.T) {
	clean(t)
	elsewhere(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		sum := 0
		err := scheduler.Run(context.Background(), func(ctx context.Context) error {
			for i := range 100 {
				scheduler.Go(ctx, func(ctx context.Context) error {
					sum += i
					return scheduler.Sleep(ctx, time.Microsecond)
				})
			}
			v, err := scheduler.Offload(ctx, func(context.Context) (int, error) { return 1, nil }).Await(ctx)
			sum += v
			return err
		})
		if err != nil || sum != 4951 {
			t.Errorf("%v, %d", err, sum)
		}
	})
}

func ExampleSuspend() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		r := scheduler.Current(ctx).Scheduler().Reactor()
		tick, limit := r.NewTimer(time.Millisecond, 0), r.NewTimer(time.Hour, 0)
		fired, err := scheduler.Suspend(ctx, tick, limit)
		fmt.Println(fired, err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// timer 1ms <nil>
	// <nil>
}

func ExampleYield() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(context.Context) error { fmt.Println("other"); return nil })
		fmt.Println("before")
		err := scheduler.Yield(ctx)
		fmt.Println("after")
		return err
	})
	// Output:
	// before
	// other
	// after
}

func ExampleSleep() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		for _, d := range []time.Duration{3, 1, 2} {
			scheduler.Go(ctx, func(ctx context.Context) error {
				err := scheduler.Sleep(ctx, d*time.Hour)
				fmt.Println(d * time.Hour)
				return err
			})
		}
		return nil
	}, scheduler.WithClock(schedtest.NewClock(schedtest.Start))) // takes no time
	fmt.Println(err)
	// Output:
	// 1h0m0s
	// 2h0m0s
	// 3h0m0s
	// <nil>
}
