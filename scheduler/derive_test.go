package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestMapCatchFinally(t *testing.T) {
	double := func(v int) (int, error) { return 2 * v, nil }
	other := errors.New("other")
	for name, tc := range map[string]struct {
		derive func(f *scheduler.Future[int]) *scheduler.Future[int]
		value  int   // of what derives from a value of 5
		err    error // of that
		value2 int   // of what derives from errBoom
		err2   error
	}{
		"Map": {func(f *scheduler.Future[int]) *scheduler.Future[int] { return scheduler.Map(f, double) }, 10, nil, 0, errBoom},
		"Map that fails": {func(f *scheduler.Future[int]) *scheduler.Future[int] {
			return scheduler.Map(f, func(int) (int, error) { return 1, other })
		}, 0, other, 0, errBoom},
		"Catch": {func(f *scheduler.Future[int]) *scheduler.Future[int] {
			return f.Catch(func(err error) (int, error) { require.Equal(t, errBoom, err); return 7, nil })
		}, 5, nil, 7, nil},
		"Catch that fails": {func(f *scheduler.Future[int]) *scheduler.Future[int] {
			return f.Catch(func(error) (int, error) { return 1, other })
		}, 5, nil, 0, other},
		"Finally": {func(f *scheduler.Future[int]) *scheduler.Future[int] { return f.Finally(func() {}) }, 5, nil, 0, errBoom},
		"a chain": {func(f *scheduler.Future[int]) *scheduler.Future[int] {
			return scheduler.Map(scheduler.Map(f, double).Catch(func(error) (int, error) { return 100, nil }).Finally(func() {}), double)
		}, 20, nil, 200, nil},
	} {
		for when, settle := range map[string]func(ctx context.Context, v int, err error, derive func(*scheduler.Future[int]) *scheduler.Future[int]) *scheduler.Future[int]{
			"before": func(ctx context.Context, v int, err error, derive func(*scheduler.Future[int]) *scheduler.Future[int]) *scheduler.Future[int] {
				f, r := scheduler.NewFuture[int](ctx)
				g := derive(f)
				scheduler.Go(ctx, func(context.Context) error {
					if err != nil {
						return r.Fail(err)
					}
					return r.Complete(v)
				})
				return g
			},
			"after": func(ctx context.Context, v int, err error, derive func(*scheduler.Future[int]) *scheduler.Future[int]) *scheduler.Future[int] {
				f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return v, err })
				yields(ctx, 1)
				return derive(f)
			},
			"from the start": func(_ context.Context, v int, err error, derive func(*scheduler.Future[int]) *scheduler.Future[int]) *scheduler.Future[int] {
				if err != nil {
					return derive(scheduler.Failed[int](err))
				}
				return derive(scheduler.Completed(v))
			},
			"elsewhere": func(ctx context.Context, v int, err error, derive func(*scheduler.Future[int]) *scheduler.Future[int]) (g *scheduler.Future[int]) {
				f := scheduler.Offload(ctx, func(context.Context) (int, error) { return v, err })
				elsewhere(func() { g = derive(f) })
				return g
			},
		} {
			t.Run(name+", settled "+when, func(t *testing.T) {
				orders(t, func(ctx context.Context) error {
					v, err := settle(ctx, 5, nil, tc.derive).Await(ctx)
					require.Equal(t, tc.value, v)
					require.Equal(t, tc.err, err)
					v, err = settle(ctx, 0, errBoom, tc.derive).Await(ctx)
					require.Equal(t, tc.value2, v)
					require.Equal(t, tc.err2, err)
					return nil
				})
			})
		}
	}
}

// They run as coroutines, in the order of subscription.
func TestDerivedFuturesRunAsCoroutinesInOrder(t *testing.T) {
	run(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		f, r := scheduler.NewFuture[int](ctx)
		var got []int
		var running []*scheduler.Coroutine
		note := func(i int) {
			got = append(got, i)
			running = append(running, s.Running())
		}
		scheduler.Map(f, func(int) (int, error) { note(0); return 0, nil })
		f.Finally(func() { note(1) })
		scheduler.Map(f, func(int) (string, error) { note(2); return "", nil })
		f.Finally(func() { note(3) })
		require.NoError(t, r.Complete(1))
		require.Empty(t, got, "not within the settling")
		yields(ctx, 1)
		require.Equal(t, []int{0, 1, 2, 3}, got)
		for i, c := range running {
			require.NotNil(t, c)
			require.NotSame(t, scheduler.Current(ctx), c)
			for _, other := range running[:i] {
				require.NotSame(t, other, c)
			}
		}
		return nil
	}, scheduler.InOrder())
}

func TestPanicsInDerivedFutures(t *testing.T) {
	for name, derive := range map[string]func(f *scheduler.Future[int], fn func()) *scheduler.Future[int]{
		"Map": func(f *scheduler.Future[int], fn func()) *scheduler.Future[int] {
			return scheduler.Map(f, func(int) (int, error) { fn(); return 0, nil })
		},
		"Catch": func(f *scheduler.Future[int], fn func()) *scheduler.Future[int] {
			return f.Catch(func(error) (int, error) { fn(); return 0, nil })
		},
		"Finally": func(f *scheduler.Future[int], fn func()) *scheduler.Future[int] { return f.Finally(fn) },
	} {
		t.Run(name, func(t *testing.T) {
			source := func(ctx context.Context) *scheduler.Future[int] {
				return scheduler.Spawn(ctx, func(context.Context) (int, error) {
					if name == "Catch" {
						return 0, errors.New("to be caught")
					}
					return 0, nil
				})
			}
			run(t, func(ctx context.Context) error {
				_, err := derive(source(ctx), func() { panic(errBoom) }).Await(ctx)
				var p *scheduler.PanicError
				require.ErrorAs(t, err, &p)
				require.ErrorIs(t, err, errBoom)
				_, err = derive(source(ctx), runtime.Goexit).Await(ctx)
				require.ErrorIs(t, err, scheduler.ErrGoexit)
				derive(source(ctx), func() { panic(errBoom) }).Ignore()
				return nil
			}, silent())
			clean(t)
			err := scheduler.Run(t.Context(), func(ctx context.Context) error {
				derive(source(ctx), func() { panic(errBoom) })
				return nil
			}, silent())
			require.ErrorIs(t, err, errBoom, "nobody looked")
		})
	}
}

func TestCancelOfADerivedFuture(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		ran := 0
		g := scheduler.Map(f, func(int) (int, error) { ran++; return 1, nil })
		h := f.Finally(func() { ran++ })
		g.Cancel(errBoom)
		_, err := g.Await(ctx)
		requireCancelled(t, err, errBoom)
		require.False(t, f.Done(), "the one it derives from is untouched")
		require.NoError(t, r.Complete(1))
		_, err = h.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, ran)
		return nil
	})
}

// Whoever derives from the future of a scope that has been closed is told all the
// same.
func TestDerivingFromAClosedScope(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, errBoom }, scheduler.In(sc))
		g := f.Catch(func(error) (int, error) { return 6, nil })
		sc.Close()
		v, err := g.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 6, v)
		v, err = f.Catch(func(error) (int, error) { return 7, nil }).Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 7, v)
		return nil
	})
}

// A failure that a derived future was to look at, and did not, because a shutdown
// came first, is not lost.
func TestAShutdownBeforeADerivedFutureRuns(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, errBoom })
		caught := f.Catch(func(error) (int, error) { t.Error("it ran"); return 0, nil })
		scheduler.Go(ctx, func(ctx context.Context) error {
			scheduler.Current(ctx).Scheduler().Shutdown(nil)
			return nil
		})
		_, err := caught.Await(ctx)
		require.ErrorIs(t, err, context.Canceled)
		return nil
	}, scheduler.InOrder())
	require.ErrorIs(t, err, errBoom)
}

func TestDeriveMisuse(t *testing.T) {
	f := scheduler.Completed(1)
	require.Panics(t, func() { scheduler.Map[int, int](f, nil) })
	require.Panics(t, func() { f.Catch(nil) })
	require.Panics(t, func() { f.Finally(nil) })
}

func ExampleMap() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(ctx context.Context) (time.Duration, error) { return 90 * time.Second, nil })
		text := scheduler.Map(f, func(d time.Duration) (string, error) { return d.String(), nil })
		fmt.Println(text.Await(ctx))
		return nil
	})
	// Output: 1m30s <nil>
}

func ExampleFuture_Catch() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, errors.New("no answer") })
		fmt.Println(f.Catch(func(error) (int, error) { return 42, nil }).Await(ctx))
		return nil
	})
	// Output: 42 <nil>
}

func ExampleFuture_Finally() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 42, nil })
		fmt.Println(f.Finally(func() { fmt.Println("done") }).Await(ctx))
		return nil
	})
	// Output:
	// done
	// 42 <nil>
}
