package scheduler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

// heed returns when its ctx has ended, with why.
func heed(ctx context.Context) (int, error) {
	<-ctx.Done()
	return 0, context.Cause(ctx)
}

func TestOffloadRunsOffTheLoop(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		f := scheduler.Offload(ctx, func(off context.Context) (string, error) {
			require.False(t, s.OnLoop())
			require.Same(t, scheduler.Current(ctx), scheduler.Current(off), "its ctx belongs to the coroutine")
			require.ErrorIs(t, scheduler.Yield(off), scheduler.ErrForeignGoroutine)
			return "done", nil
		})
		require.Contains(t, f.CreatedAt(), "offload_test.go:")
		v, err := f.Await(ctx)
		require.Equal(t, "done", v)
		return err
	})
}

// The loop runs on while one blocks.
func TestOffloadBlocksNobody(t *testing.T) {
	run(t, func(ctx context.Context) error {
		gate := make(chan int)
		f := scheduler.Offload(ctx, func(context.Context) (int, error) { return <-gate, nil })
		settle(t, ctx)
		require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		require.False(t, f.Done())
		gate <- 5
		v, err := f.Await(ctx)
		require.Equal(t, 5, v)
		return err
	})
}

func TestOffloadOutcomes(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	run(t, func(ctx context.Context) error {
		v, err := scheduler.Offload(ctx, func(context.Context) (int, error) { return 1, errStop }).Await(ctx)
		require.Equal(t, errStop, err)
		require.Zero(t, v)
		_, err = scheduler.Offload(ctx, func(context.Context) (int, error) { panic("lost") }).Await(ctx)
		var p *scheduler.PanicError
		require.ErrorAs(t, err, &p)
		require.Equal(t, "lost", p.Value)
		require.Contains(t, string(p.Stack), "TestOffloadOutcomes")
		require.Contains(t, log.String(), "offload_test.go:", "the log says where it was offloaded")
		_, err = scheduler.Offload(ctx, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }).Await(ctx)
		require.Equal(t, scheduler.ErrGoexit, err)
		return nil
	}, scheduler.WithLogger(logger))
}

func TestOffloadWorkersAreBounded(t *testing.T) {
	const workers = 3
	run(t, func(ctx context.Context) error {
		var now, most atomic.Int64
		var mu sync.Mutex
		var began []int
		var all []*scheduler.Future[int]
		full, gate := make(chan struct{}, 100), make(chan struct{})
		for i := range 20 {
			all = append(all, scheduler.Offload(ctx, func(context.Context) (int, error) {
				mu.Lock()
				began = append(began, i)
				most.Store(max(most.Load(), now.Add(1)))
				mu.Unlock()
				defer now.Add(-1)
				full <- struct{}{}
				<-gate
				return i, nil
			}))
		}
		for range workers {
			<-full
		}
		close(gate)
		got, err := scheduler.AwaitAll(ctx, all...)
		require.NoError(t, err)
		require.EqualValues(t, workers, most.Load())
		for i, v := range got {
			require.Equal(t, i, v)
		}
		require.ElementsMatch(t, []int{0, 1, 2}, began[:workers], "in the order of the calls")
		return nil
	}, scheduler.WithWorkers(workers))
}

// One that is cancelled while it waits for its turn never starts, and its future is
// settled at once.
func TestOffloadCancelledInTheQueue(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		gate := make(chan int)
		first := scheduler.Offload(ctx, func(context.Context) (int, error) { return <-gate, nil })
		never := func(context.Context) (int, error) { t.Error("started"); return 0, nil }
		byFuture := scheduler.Offload(ctx, never)
		byFuture.Cancel(errStop)
		_, err := byFuture.Await(ctx)
		require.ErrorIs(t, err, errStop)

		sub, cancel := context.WithCancelCause(ctx)
		byCtx := scheduler.Offload(sub, never)
		cancel(errStop)
		_, err = byCtx.Await(ctx)
		require.ErrorIs(t, err, errStop)
		require.ErrorIs(t, err, context.Canceled)

		_, err = scheduler.Offload(sub, never).Await(ctx)
		require.ErrorIs(t, err, errStop)

		var byCoroutine *scheduler.Future[int]
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			byCoroutine = scheduler.Offload(ctx, never)
			_, err := byCoroutine.Await(ctx)
			return err
		})
		settle(t, ctx)
		c.Cancel(errStop)
		require.ErrorIs(t, c.Await(ctx), errStop)
		_, err = byCoroutine.Await(ctx)
		require.ErrorIs(t, err, errStop)

		require.False(t, first.Done())
		gate <- 1
		_, err = first.Await(ctx)
		return err
	}, scheduler.WithWorkers(1))
}

// A running one is told by its ctx.
func TestOffloadCancelledWhileItRuns(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		f := scheduler.Offload(ctx, heed)
		f.Cancel(errStop)
		_, err := f.Await(ctx)
		require.ErrorIs(t, err, errStop)

		c := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := scheduler.Offload(ctx, heed).Await(context.WithoutCancel(ctx))
			require.ErrorIs(t, err, errStop)
			require.ErrorIs(t, err, context.Canceled, "what it returns is its cancellation")
			return nil
		})
		settle(t, ctx)
		c.Cancel(errStop)
		return c.Await(ctx)
	})
}

// The result outlives the coroutine that asked for it, and one that waits for it
// in vain.
func TestOffloadOutlivesItsWaiter(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		gate := make(chan int)
		var f *scheduler.Future[int]
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			f = scheduler.Offload(context.WithoutCancel(ctx), func(context.Context) (int, error) { return <-gate, nil })
			_, err := f.Await(ctx)
			return err
		})
		settle(t, ctx)
		c.Cancel(errStop)
		require.ErrorIs(t, c.Await(ctx), errStop)
		gate <- 7
		v, err := f.Await(ctx)
		require.Equal(t, 7, v)
		return err
	})
}

// Run waits for what is under way, and returns the failure that nobody looked at.
func TestOffloadKeepsRunFromEnding(t *testing.T) {
	clean(t)
	gate := make(chan struct{})
	done := false
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Offload(ctx, func(context.Context) (int, error) { <-gate; done = true; return 0, errStop })
		scheduler.Offload(ctx, func(context.Context) (int, error) { close(gate); return 0, nil })
		return nil
	})
	require.Equal(t, errStop, errors.Unwrap(oneOf(t, err)))
	require.True(t, done)
}

// oneOf wraps the one error of a composite.
func oneOf(t testing.TB, err error) error {
	t.Helper()
	var all *scheduler.CompositeError
	require.ErrorAs(t, err, &all)
	require.Len(t, all.Errs, 1)
	return fmt.Errorf("one: %w", all.Errs[0])
}

// A shutdown is told to those that run, and ends when they have; those that wait
// for their turn never start. Slow ones that heed their ctx do not delay it.
func TestFault_LU10_OffloadedWorkDoesNotDelayAShutdown(t *testing.T) {
	clean(t)
	var running atomic.Int64
	var all []*scheduler.Future[int]
	s := scheduler.New(scheduler.WithWorkers(10), scheduler.WithGrace(time.Hour))
	err := s.Run(context.Background(), func(ctx context.Context) error {
		began := make(chan struct{}, 100)
		orphans := scheduler.Go(ctx, func(ctx context.Context) error { // it has ended when the shutdown comes
			for range 100 {
				all = append(all, scheduler.Offload(ctx, func(ctx context.Context) (int, error) {
					running.Add(1)
					began <- struct{}{}
					return heed(ctx)
				}))
			}
			return nil
		})
		require.NoError(t, orphans.Await(ctx))
		for range 10 {
			<-began
		}
		s.Shutdown(errStop)
		return scheduler.AwaitShutdown(ctx)
	})
	require.NoError(t, err)
	require.EqualValues(t, 10, running.Load())
	for _, f := range all {
		_, err := f.Await(context.Background())
		require.ErrorIs(t, err, errStop, "every future is settled")
		require.ErrorIs(t, err, scheduler.ErrShutdown)
	}
}

// What is cut off from the cancellation has the grace, and no more; who waits for
// it elsewhere is told.
func TestOffloadThatHeedsNothingIsLeftBehind(t *testing.T) {
	clean(t)
	var log bytes.Buffer
	gate := make(chan struct{})
	ended := make(chan struct{})
	waiting := make(chan error, 1)
	s := scheduler.New(scheduler.WithGrace(time.Millisecond), scheduler.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		f := scheduler.Offload(context.WithoutCancel(ctx), func(context.Context) (int, error) {
			defer close(ended)
			<-gate
			return 1, nil
		})
		go func() {
			_, err := f.Await(context.Background())
			waiting <- err
		}()
		s.Shutdown(nil)
		return scheduler.AwaitShutdown(ctx)
	}))
	require.ErrorIs(t, <-waiting, scheduler.ErrShutdown)
	require.Contains(t, log.String(), "left behind")
	close(gate)
	<-ended
}

func TestOffloadThatIsCutOffHasTheGrace(t *testing.T) {
	clean(t)
	s := scheduler.New()
	var f *scheduler.Future[int]
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		stopping := make(chan struct{})
		f = scheduler.Offload(context.WithoutCancel(ctx), func(ctx context.Context) (int, error) {
			<-stopping
			return 1, ctx.Err()
		})
		s.Shutdown(nil)
		close(stopping)
		return scheduler.AwaitShutdown(ctx)
	}))
	v, err := f.Await(context.Background())
	require.NoError(t, err)
	require.Equal(t, 1, v)
}

// Clean-up may offload as well, but not the final one.
func TestOffloadDuringAShutdown(t *testing.T) {
	clean(t)
	// On virtual time the grace passes when nothing else can happen, and not before.
	s := scheduler.New(scheduler.WithGrace(time.Hour), scheduler.WithClock(schedtest.NewClock(schedtest.Start)))
	cleaned := 0
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		s.Shutdown(nil)
		cut := context.WithoutCancel(ctx)
		v, err := scheduler.Offload(cut, func(context.Context) (int, error) { return 3, nil }).Await(cut)
		require.NoError(t, err)
		cleaned += v
		defer func() {
			_, err := scheduler.Offload(cut, func(context.Context) (int, error) { t.Error("started"); return 0, nil }).Await(cut)
			require.ErrorIs(t, err, scheduler.ErrShutdown)
			cleaned++
		}()
		return scheduler.AwaitShutdown(cut)
	}))
	require.Equal(t, 4, cleaned)
}

func TestOffloadMisuse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		require.Panics(t, func() { scheduler.Offload(context.Background(), answer) })
		require.Panics(t, func() { scheduler.Offload[int](ctx, nil) })
		_, err := scheduler.Offload(ctx, func(off context.Context) (int, error) {
			require.Panics(t, func() { scheduler.Offload(off, answer) })
			return 0, nil
		}).Await(ctx)
		return err
	})
}

func ExampleOffload() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		blocking := make(chan string)
		scheduler.Go(ctx, func(ctx context.Context) error {
			fmt.Println("the loop runs on")
			close(blocking)
			return nil
		})
		f := scheduler.Offload(ctx, func(context.Context) (string, error) {
			<-blocking // blocks this goroutine alone
			return "done", nil
		})
		v, err := f.Await(ctx)
		fmt.Println(v, err)
		return nil
	})
	// Output:
	// the loop runs on
	// done <nil>
}

// Where few calls may block at once, as with a database of ten connections, the others
// wait for their turn, and the loop goes on.
func ExampleWithWorkers() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		var mu sync.Mutex // offloaded functions are goroutines
		now, most := 0, 0
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			most = max(most, now)
		}
		var answers []*scheduler.Future[int]
		for n := range 20 {
			answers = append(answers, scheduler.Offload(ctx, func(context.Context) (int, error) {
				count(1)
				defer count(-1)
				runtime.Gosched()
				return n, nil
			}))
		}
		all, err := scheduler.AwaitAll(ctx, answers...)
		fmt.Println(len(all), "answers, no more than two at once:", most <= 2)
		return err
	}, scheduler.WithWorkers(2))
	fmt.Println(err)
	// Output:
	// 20 answers, no more than two at once: true
	// <nil>
}
