package schedtest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

// recorder is a testing.TB that takes failures down instead of failing.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Failed() bool { return len(r.failures) > 0 }
func (r *recorder) Helper()      {}

func TestVirtualTime(t *testing.T) {
	began := time.Now()
	schedtest.Run(t, func(ctx context.Context) error {
		now := scheduler.Current(ctx).Scheduler().Now
		require.Equal(t, schedtest.Start, now())
		require.NoError(t, scheduler.Sleep(ctx, 1000*time.Hour))
		require.Equal(t, schedtest.Start.Add(1000*time.Hour), now())

		late, cancel := scheduler.WithTimeout(ctx, time.Hour)
		defer cancel()
		var timeout *scheduler.TimeoutError
		require.ErrorAs(t, scheduler.Sleep(late, 2*time.Hour), &timeout)
		require.Equal(t, schedtest.Start.Add(1001*time.Hour), now())
		return nil
	})
	require.Less(t, time.Since(began), time.Hour)
}

// Several sleepers wake in the order of their times, whatever the order of their
// spawns.
func TestSleepersWakeInOrder(t *testing.T) {
	schedtest.Seeds(t, 20, func(ctx context.Context) error {
		var woke []int
		var all scheduler.WaitGroup
		for _, h := range []int{3, 1, 2} {
			all.Go(ctx, func(ctx context.Context) error {
				err := scheduler.Sleep(ctx, time.Duration(h)*time.Hour)
				woke = append(woke, h)
				return err
			})
		}
		require.NoError(t, all.Wait(ctx))
		require.Equal(t, []int{1, 2, 3}, woke)
		return nil
	})
}

// Virtual time stands while work off the loop is under way.
func TestTimeStandsForOffloadedWork(t *testing.T) {
	schedtest.Run(t, func(ctx context.Context) error {
		f := scheduler.Offload(ctx, func(context.Context) (string, error) {
			for range 100 {
				runtime.Gosched()
			}
			return "done", nil
		})
		late, cancel := scheduler.WithTimeout(ctx, time.Nanosecond)
		defer cancel()
		got, err := f.Await(late)
		require.NoError(t, err)
		require.Equal(t, "done", got)
		return nil
	})
}

// A ctx of package context over a timeout by the virtual clock ends with it.
func TestDerivedContextsFollowVirtualTime(t *testing.T) {
	schedtest.Run(t, func(ctx context.Context) error {
		late, cancel := scheduler.WithTimeout(ctx, time.Hour)
		defer cancel()
		derived, stop := context.WithCancel(late)
		defer stop()
		err := scheduler.Sleep(derived, 1000*time.Hour)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, context.DeadlineExceeded, derived.Err())
		return nil
	})
}

func TestFailures(t *testing.T) {
	run := func(main func(context.Context) error) string {
		r := &recorder{TB: t}
		schedtest.Run(r, main)
		return strings.Join(r.failures, "\n")
	}
	boom := errors.New("boom")
	require.Contains(t, run(func(context.Context) error { return boom }), "boom")
	require.Contains(t, run(func(context.Context) error { panic("broken") }), "broken")

	report := run(func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(ctx)
		return err
	})
	require.Contains(t, report, "deadlock")
	require.Contains(t, report, "run_test.go")

	quit := make(chan struct{})
	report = run(func(context.Context) error {
		go func() { <-quit }()
		return nil
	})
	require.Contains(t, report, "goroutines left behind")
	require.Contains(t, report, "TestFailures")
	close(quit)

	require.Empty(t, run(func(context.Context) error { return nil }))
}

func TestClock(t *testing.T) {
	c := schedtest.NewClock(schedtest.Start)
	c.Advance(time.Minute)
	c.Advance(-time.Hour)
	c.AdvanceTo(schedtest.Start)
	require.Equal(t, schedtest.Start.Add(time.Minute), c.Now())
	c.AdvanceTo(schedtest.Start.Add(time.Hour))
	require.Equal(t, schedtest.Start.Add(time.Hour), c.Now())
}

// The same seed gives the same order, and some seeds give others.
func TestSeedsPermuteTheOrder(t *testing.T) {
	order := func(seed uint64) (names string) {
		schedtest.Run(t, func(ctx context.Context) error {
			for _, name := range []string{"a", "b", "c", "d"} {
				scheduler.Go(ctx, func(ctx context.Context) error {
					names += name
					err := scheduler.Yield(ctx)
					names += name
					return err
				})
			}
			return nil
		}, scheduler.WithSeed(seed))
		return names
	}
	seen := map[string]bool{}
	for seed := range uint64(20) {
		first := order(seed)
		require.Equal(t, first, order(seed))
		seen[first] = true
	}
	require.Greater(t, len(seen), 10)
}
