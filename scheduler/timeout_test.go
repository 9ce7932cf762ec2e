package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

func TestTimeoutEndsEverySuspension(t *testing.T) {
	for _, sus := range suspensions {
		t.Run(sus.name, func(t *testing.T) {
			clock := virtual()
			if sus.name == "Yield" || sus.name == "Await of an external future" {
				clock = silent() // with these the virtual clock stands still: they are work
			}
			run(t, func(ctx context.Context) error {
				short, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
				defer cancel()
				err := sus.do(short)
				var timeout *scheduler.TimeoutError
				require.ErrorAs(t, err, &timeout)
				require.Equal(t, time.Millisecond, timeout.After)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.NotErrorIs(t, err, context.Canceled)
				require.Equal(t, err, sus.do(short), "it is sticky")
				require.Equal(t, context.DeadlineExceeded, short.Err())
				require.Equal(t, timeout, context.Cause(short))
				require.NoError(t, ctx.Err())
				return scheduler.Yield(ctx)
			}, clock)
		})
	}
}

func TestTimeoutsDeriveFromOneAnother(t *testing.T) {
	for name, derive := range map[string]func(context.Context) (context.Context, func()){
		"scheduler.WithTimeout": func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := scheduler.WithTimeout(ctx, 2*time.Hour)
			return ctx, cancel
		},
		"context.WithCancel": func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel
		},
		"context.WithTimeout": func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Hour)
			return ctx, cancel
		},
		"both": func(ctx context.Context) (context.Context, func()) {
			a, cancel := context.WithCancel(ctx)
			b, _ := scheduler.WithTimeout(a, 2*time.Hour)
			c, _ := scheduler.WithTimeout(context.WithValue(b, valueKey{}, 1), 3*time.Hour)
			d, cancelLast := context.WithCancelCause(c)
			return d, func() { cancelLast(nil); cancel() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				short, cancel := scheduler.WithTimeout(ctx, time.Hour)
				defer cancel()
				derived, cancelDerived := derive(short)
				defer cancelDerived()
				at, ok := derived.Deadline()
				require.True(t, ok)
				require.Equal(t, time.Hour, at.Sub(scheduler.Current(ctx).Scheduler().Now()))
				began := scheduler.Current(ctx).Scheduler().Now()
				err := scheduler.Sleep(derived, 10*time.Hour)
				require.Equal(t, time.Hour, scheduler.Current(ctx).Scheduler().Now().Sub(began))
				var timeout *scheduler.TimeoutError
				require.ErrorAs(t, err, &timeout)
				require.Equal(t, time.Hour, timeout.After)
				require.Equal(t, context.DeadlineExceeded, derived.Err())
				require.Equal(t, timeout, context.Cause(derived))
				<-derived.Done()
				return nil
			}, virtual())
		})
	}
}

// A ctx ends once: what it said first stays.
func TestTheEndOfATimeoutStays(t *testing.T) {
	expire := func(ctx context.Context) { _ = scheduler.Sleep(context.WithoutCancel(ctx), 2*time.Hour) }
	for name, tc := range map[string]struct {
		ends  []func(ctx context.Context, cancel context.CancelFunc)
		err   error
		cause error
	}{
		"cancelled, then due": {[]func(context.Context, context.CancelFunc){
			func(_ context.Context, cancel context.CancelFunc) { cancel() },
			func(ctx context.Context, _ context.CancelFunc) { expire(ctx) },
		}, context.Canceled, context.Canceled},
		"due, then cancelled": {[]func(context.Context, context.CancelFunc){
			func(ctx context.Context, _ context.CancelFunc) { expire(ctx) },
			func(_ context.Context, cancel context.CancelFunc) { cancel() },
		}, context.DeadlineExceeded, &scheduler.TimeoutError{After: time.Hour}},
		"with the coroutine, then due": {[]func(context.Context, context.CancelFunc){
			func(ctx context.Context, _ context.CancelFunc) { scheduler.Current(ctx).Cancel(errBoom) },
			func(ctx context.Context, _ context.CancelFunc) { expire(ctx) },
		}, context.Canceled, errBoom},
		"with the coroutine, then cancelled": {[]func(context.Context, context.CancelFunc){
			func(ctx context.Context, _ context.CancelFunc) { scheduler.Current(ctx).Cancel(errBoom) },
			func(_ context.Context, cancel context.CancelFunc) { cancel() },
		}, context.Canceled, errBoom},
		"due, then the coroutine": {[]func(context.Context, context.CancelFunc){
			func(ctx context.Context, _ context.CancelFunc) { expire(ctx) },
			func(ctx context.Context, _ context.CancelFunc) { scheduler.Current(ctx).Cancel(errBoom) },
		}, context.DeadlineExceeded, &scheduler.TimeoutError{After: time.Hour}},
	} {
		for _, asked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, asked for Done %v", name, asked), func(t *testing.T) {
				run(t, func(ctx context.Context) error {
					c := scheduler.Go(ctx, func(ctx context.Context) error {
						short, cancel := scheduler.WithTimeout(ctx, time.Hour)
						var derived context.Context = short
						if asked {
							_ = short.Done()
							var stop context.CancelFunc
							derived, stop = context.WithCancel(short)
							defer stop()
						}
						require.NoError(t, short.Err())
						for _, end := range tc.ends {
							end(ctx, cancel)
							require.Equal(t, tc.err, short.Err())
							require.Equal(t, tc.cause, context.Cause(short))
							require.Equal(t, tc.err, derived.Err())
						}
						<-short.Done()
						later, cancelLater := context.WithCancel(short)
						defer cancelLater()
						require.Equal(t, tc.err, later.Err())
						require.Equal(t, tc.cause, context.Cause(later))
						return nil
					})
					return c.Await(ctx)
				}, virtual())
			})
		}
	}
}

func TestTimeoutThatIsDueFromTheStart(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, d := range []time.Duration{0, -time.Second} {
			over, cancel := scheduler.WithTimeout(ctx, d)
			require.Equal(t, context.DeadlineExceeded, over.Err())
			require.ErrorIs(t, scheduler.Yield(over), context.DeadlineExceeded)
			<-over.Done()
			cancel()
			require.Equal(t, context.DeadlineExceeded, over.Err())
		}
		now := scheduler.Current(ctx).Scheduler().Now()
		past, cancel := scheduler.WithDeadline(ctx, now.Add(-time.Second))
		defer cancel()
		require.ErrorIs(t, past.Err(), context.DeadlineExceeded)
		future, cancel := scheduler.WithDeadline(ctx, now.Add(time.Hour))
		defer cancel()
		at, ok := future.Deadline()
		require.True(t, ok)
		require.Equal(t, now.Add(time.Hour), at)
		require.ErrorIs(t, forever(future), context.DeadlineExceeded)
		require.Equal(t, time.Hour, scheduler.Current(ctx).Scheduler().Now().Sub(now))
		return nil
	}, virtual())
}

// A timeout nobody waits under does not keep Run from ending, and ends with it.
func TestTimeoutsHoldNoLoop(t *testing.T) {
	clean(t)
	var left, unasked context.Context
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		left, _ = scheduler.WithTimeout(ctx, time.Hour)
		unasked, _ = scheduler.WithTimeout(ctx, time.Hour)
		_ = left.Done()
		return nil
	})
	require.NoError(t, err)
	<-left.Done()
	for _, ctx := range []context.Context{left, unasked} {
		require.Equal(t, context.Canceled, ctx.Err())
		require.ErrorIs(t, context.Cause(ctx), scheduler.ErrFinished)
	}
	late, cancel := scheduler.WithTimeout(left, time.Hour)
	defer cancel()
	require.Equal(t, context.Canceled, late.Err())
}

// WithTimeout, and its CancelFunc, from another goroutine.
func TestTimeoutFromAnotherGoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var short, long context.Context
		var cancelLong context.CancelFunc
		elsewhere(func() {
			short, _ = scheduler.WithTimeout(ctx, time.Millisecond)
			long, cancelLong = scheduler.WithTimeout(ctx, time.Hour)
		})
		defer cancelLong()
		require.ErrorIs(t, forever(short), context.DeadlineExceeded)
		scheduler.Go(ctx, func(context.Context) error { elsewhere(cancelLong); return nil })
		require.ErrorIs(t, forever(long), context.Canceled)
		require.Equal(t, context.Canceled, long.Err())

		_, err := scheduler.Offload(ctx, func(ctx context.Context) (int, error) {
			ctx, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			<-ctx.Done()
			return 0, ctx.Err()
		}).Await(ctx)
		require.Equal(t, context.DeadlineExceeded, err)
		return nil
	})
}

func TestWithTimeoutOfNoCoroutinePanics(t *testing.T) {
	require.PanicsWithError(t, "scheduler: WithTimeout with a ctx that belongs to no coroutine: "+scheduler.ErrNotCoroutine.Error(),
		func() { scheduler.WithTimeout(context.Background(), 1) })
}

// Timers are used again; none fires for a ctx that it does not belong to any more.
func TestTimersOfTimeoutsAreUsedAgain(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for i := range 100 {
			first, cancel := scheduler.WithTimeout(ctx, time.Minute)
			cancel()
			second, cancelSecond := scheduler.WithTimeout(ctx, time.Hour)
			cancel()
			require.NoError(t, second.Err())
			if i%2 == 0 {
				require.NoError(t, scheduler.Sleep(second, 2*time.Minute))
			}
			cancelSecond()
			require.Equal(t, context.Canceled, first.Err())
			require.Equal(t, context.Canceled, second.Err())
		}
		return nil
	}, virtual())
}

func ExampleWithTimeout() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		short, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		err := scheduler.Sleep(short, time.Hour)
		var timeout *scheduler.TimeoutError
		fmt.Println(errors.As(err, &timeout), errors.Is(err, context.DeadlineExceeded), err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// true true scheduler: timed out after 1ms
	// <nil>
}

// The deadline is one of the scheduler's clock, which is virtual here.
func ExampleWithDeadline() {
	clock := schedtest.NewClock(schedtest.Start)
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		today, cancel := scheduler.WithDeadline(ctx, clock.Now().Add(24*time.Hour))
		defer cancel()
		for nap := 1; ; nap++ {
			if err := scheduler.Sleep(today, 10*time.Hour); err != nil {
				fmt.Println(err)
				return nil
			}
			fmt.Println("nap", nap)
		}
	}, scheduler.WithClock(clock))
	// Output:
	// nap 1
	// nap 2
	// scheduler: timed out after 24h0m0s
}
