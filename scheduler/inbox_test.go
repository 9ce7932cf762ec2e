package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestPostRunsOnTheLoopInOrder(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		var got []int
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) {
			for i := range 1000 {
				if err := s.Post(func() { got = append(got, i) }); err != nil {
					return 0, err
				}
			}
			return 0, nil
		}).Await(ctx)
		require.NoError(t, err, "its end came after the posts")
		require.Len(t, got, 1000)
		for i, v := range got {
			require.Equal(t, i, v)
		}
		return nil
	})
}

func TestPostBeforeRunQueues(t *testing.T) {
	clean(t)
	s := scheduler.New()
	ran := false
	require.NoError(t, s.Post(func() { ran = s.OnLoop() }))
	require.False(t, ran)
	require.NoError(t, s.Run(context.Background(), scheduler.Yield))
	require.True(t, ran)
}

func TestPostMustNotSuspend(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		var err error
		require.NoError(t, s.Post(func() { err = scheduler.Yield(ctx) }))
		for err == nil {
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		return nil
	})
}

func TestPostThatPanicsIsAnUnhandledFailure(t *testing.T) {
	clean(t)
	after := false
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		require.NoError(t, s.Post(func() { panic(errStop) }))
		require.NoError(t, s.Post(func() { after = true }))
		return scheduler.AwaitShutdown(ctx)
	}, scheduler.WithLogger(nil))
	var p *scheduler.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, errStop, p.Value)
	require.True(t, after)
}

func TestPostMisuse(t *testing.T) {
	s := scheduler.New()
	require.Panics(t, func() { _ = s.Post(nil) })
	require.Panics(t, func() { _ = s.PostOr(nil, func() {}) })
	require.Panics(t, func() { _ = s.PostOr(func() {}, nil) })
}

// A post that Run ends before is dropped; of PostOr one of the two is called.
func TestPostDroppedAtTheEnd(t *testing.T) {
	clean(t)
	s := scheduler.New()
	ran, dropped := false, false
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		require.NoError(t, s.Post(func() { ran = true }))
		return s.PostOr(func() { ran = true }, func() { dropped = s.OnLoop() })
	}))
	require.False(t, ran)
	require.True(t, dropped)
	require.ErrorIs(t, s.PostOr(func() {}, func() {}), scheduler.ErrFinished)
}

// Who posts for ever keeps neither Run from ending nor anything else from running.
func TestFault_LU4_EndlessPostsStarveNothing(t *testing.T) {
	clean(t)
	for _, busy := range []bool{false, true} {
		s := scheduler.New()
		require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
			var again func()
			again = func() { _ = s.Post(again) }
			again()
			stop := false
			if busy {
				scheduler.Go(ctx, func(ctx context.Context) error {
					for !stop {
						if err := scheduler.Yield(ctx); err != nil {
							return err
						}
					}
					return nil
				})
			}
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
			_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { return 0, nil }).Await(ctx)
			stop = true
			return err
		}))
	}
}

// The same with microtasks; and a shutdown ends them.
func TestFault_LU4_EndlessMicrotasksDoNotKeepRunFromEnding(t *testing.T) {
	clean(t)
	for _, shutdown := range []bool{false, true} {
		s := scheduler.New()
		require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
			var again func()
			again = func() { s.Microtask(newTask(again)) }
			again()
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
			if shutdown {
				s.Shutdown(nil)
				return scheduler.AwaitShutdown(ctx)
			}
			return nil
		}))
	}
}

// The clock is read again when the loop has slept, and when a timer is armed.
func TestFault_LU5_ClockIsFreshAfterASleep(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		posted := make(chan struct{})
		scheduler.Go(ctx, func(ctx context.Context) error { // the loop sleeps until it is woken from outside
			f, r := scheduler.NewExternal[int](ctx)
			go func() {
				time.Sleep(20 * time.Millisecond)
				_ = r.Complete(0)
				close(posted)
			}()
			_, err := f.Await(ctx)
			require.NoError(t, err)
			before := s.Now()
			require.NoError(t, scheduler.Sleep(ctx, 20*time.Millisecond))
			require.GreaterOrEqual(t, s.Now().Sub(before), 20*time.Millisecond)
			return nil
		})
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { <-posted; return 0, nil }).Await(ctx)
		return err
	})
}

// A million posts from several goroutines, while the loop sleeps and wakes: each
// runs, once, in the order of its poster.
func TestFault_LU6_NoPostIsLost(t *testing.T) {
	clean(t)
	const posters = 4
	each := 250_000
	if testing.Short() {
		each = 10_000
	}
	s := scheduler.New()
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		var next [posters]int
		total := 0
		all, r := scheduler.NewExternal[int](ctx)
		var posting sync.WaitGroup
		for p := range posters {
			posting.Go(func() {
				for i := range each {
					err := s.Post(func() {
						if next[p] != i {
							t.Errorf("post %d of %d came when %d was due", i, p, next[p])
						}
						next[p]++
						if total++; total == posters*each {
							_ = r.Complete(total)
						}
					})
					if err != nil {
						t.Error(err)
						return
					}
					if i%100 == p {
						runtime.Gosched() // lets the loop fall asleep now and then
					}
				}
			})
		}
		n, err := all.Await(ctx)
		require.Equal(t, posters*each, n)
		posting.Wait()
		return err
	}))
}

// One post at a time, each to a loop that sleeps.
func TestFault_LU6_EveryPostWakesTheLoop(t *testing.T) {
	clean(t)
	s := scheduler.New()
	require.NoError(t, s.Run(context.Background(), func(ctx context.Context) error {
		done, r := scheduler.NewExternal[int](ctx)
		go func() {
			defer func() { _ = r.Complete(0) }()
			for range 20_000 {
				ran := make(chan struct{})
				if s.Post(func() { close(ran) }) != nil {
					return
				}
				<-ran
			}
		}()
		_, err := done.Await(ctx)
		return err
	}))
}

// Posts that race with the end run, are dropped, or fail with ErrFinished.
func TestFault_LU6_PostAfterTheEnd(t *testing.T) {
	clean(t)
	for range 200 {
		s := scheduler.New()
		var ended atomic.Bool
		var posting sync.WaitGroup
		for range 3 {
			posting.Go(func() {
				for {
					over := ended.Load()
					err := s.Post(func() {})
					if err != nil {
						if err != scheduler.ErrFinished {
							t.Error(err)
						}
						return
					}
					if over {
						t.Error("accepted after the end")
						return
					}
				}
			})
		}
		require.NoError(t, s.Run(context.Background(), scheduler.Yield))
		ended.Store(true)
		posting.Wait()
		require.ErrorIs(t, s.Post(func() {}), scheduler.ErrFinished)
	}
}

func TestPostAllocatesNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		fn := func() {}
		requireNoAllocs(t, ctx, func() {
			_ = s.Post(fn)
			_ = scheduler.Yield(ctx)
		})
		return nil
	})
}

// What nobody but the scheduler knows of is kept while it runs.
func TestFault_NP15_NothingIsCollectedWhileItRuns(t *testing.T) {
	clean(t)
	err := scheduler.New().Run(context.Background(), func(ctx context.Context) error {
		for i := range 50 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				return scheduler.Sleep(ctx, time.Duration(i)*100*time.Microsecond)
			})
		}
		for range 20 {
			runtime.GC()
			if err := scheduler.Sleep(ctx, 0); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
}

func BenchmarkPost(b *testing.B) {
	b.ReportAllocs()
	s := scheduler.New()
	_ = s.Run(context.Background(), func(ctx context.Context) error {
		done, r := scheduler.NewExternal[int](ctx)
		go func() {
			for range b.N {
				_ = s.Post(func() {})
			}
			_ = s.Post(func() { _ = r.Complete(0) })
		}()
		_, err := done.Await(ctx)
		return err
	})
}

func ExampleScheduler_Post() {
	s := scheduler.New()
	fmt.Println(s.Run(context.Background(), func(ctx context.Context) error {
		count := 0 // belongs to the loop
		all, r := scheduler.NewExternal[int](ctx)
		go func() {
			for range 3 {
				_ = s.Post(func() { count++ })
			}
			_ = s.Post(func() { _ = r.Complete(count) })
		}()
		n, err := all.Await(ctx)
		fmt.Println(n)
		return err
	}))
	fmt.Println(s.Post(func() {}))
	// Output:
	// 3
	// <nil>
	// scheduler: finished
}
