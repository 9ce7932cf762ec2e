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

// family is a scope with a child, each with a member that has started and one that
// has not.
type family struct {
	outer, inner                         *scheduler.Scope
	started, unstarted, nephew, newborns *scheduler.Coroutine
	order                                []string
}

func newFamily(ctx context.Context, opts ...scheduler.ScopeOption) *family {
	f := &family{outer: scheduler.NewScope(ctx, opts...)}
	f.inner = f.outer.NewChild()
	member := func(name string, sc *scheduler.Scope) *scheduler.Coroutine {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			err := scheduler.Sleep(ctx, time.Minute)
			if err == nil {
				f.order = append(f.order, name+" went on")
			}
			return err
		}, scheduler.In(sc), scheduler.Named(name))
		c.Finally(func(c *scheduler.Coroutine) {
			if c.Cancelled() {
				f.order = append(f.order, name+" was cancelled")
			}
		})
		return c
	}
	f.started = member("started", f.outer)
	f.nephew = member("nephew", f.inner)
	yields(ctx, 1)
	f.unstarted = member("unstarted", f.outer)
	f.newborns = member("newborn", f.inner)
	return f
}

func TestScopeCancel(t *testing.T) {
	for name, opts := range map[string][]scheduler.ScopeOption{"plain": nil, "with zombies": {scheduler.AllowZombies()}} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				f := newFamily(ctx, opts...)
				bystander := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Hour) })
				f.outer.Cancel(errBoom)
				for _, sc := range []*scheduler.Scope{f.outer, f.inner} {
					require.True(t, sc.Cancelled())
					require.True(t, sc.Closed(), "a cancelled scope is closed")
					require.Equal(t, errBoom, sc.Cause())
				}
				require.False(t, scheduler.Current(ctx).Scope().Cancelled(), "downwards only")
				f.outer.Cancel(errors.New("second"))
				require.NoError(t, f.outer.AwaitCompletion(ctx))
				for _, c := range []*scheduler.Coroutine{f.started, f.unstarted, f.nephew, f.newborns} {
					requireCancelled(t, c.Await(ctx), errBoom)
				}
				require.Equal(t, []string{
					"newborn was cancelled", "unstarted was cancelled", // at once, children first
					"nephew was cancelled", "started was cancelled",
				}, f.order)
				return bystander.Await(ctx)
			}, virtual(), scheduler.InOrder())
		})
	}
}

func TestDispose(t *testing.T) {
	for name, tc := range map[string]struct {
		opts    []scheduler.ScopeOption
		dispose func(*scheduler.Scope)
		goOn    []string
	}{
		"Dispose":                     {nil, (*scheduler.Scope).Dispose, nil},
		"Dispose, with zombies":       {[]scheduler.ScopeOption{scheduler.AllowZombies()}, (*scheduler.Scope).Dispose, []string{"started"}},
		"DisposeSafely":               {nil, (*scheduler.Scope).DisposeSafely, []string{"started", "nephew"}},
		"DisposeSafely, with zombies": {[]scheduler.ScopeOption{scheduler.AllowZombies()}, (*scheduler.Scope).DisposeSafely, []string{"started", "nephew"}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				f := newFamily(ctx, tc.opts...)
				ended := 0
				f.outer.Finally(func(*scheduler.Scope) { ended++ })
				tc.dispose(f.outer)
				require.True(t, f.outer.Closed())
				require.True(t, f.outer.Cancelled())
				require.NoError(t, f.outer.AwaitAfterCancellation(ctx, nil))
				require.Equal(t, 1, ended)
				var wentOn []string
				for _, c := range []*scheduler.Coroutine{f.started, f.nephew, f.unstarted, f.newborns} {
					if c.Cancelled() {
						require.ErrorIs(t, c.Await(ctx), context.Canceled)
					} else {
						require.NoError(t, c.Await(ctx))
						wentOn = append(wentOn, c.Name())
					}
				}
				require.Equal(t, tc.goOn, wentOn)
				tc.dispose(f.outer)
				f.outer.Cancel(nil)
				require.Equal(t, 1, ended)
				return nil
			}, virtual())
		})
	}
}

// Cancel ends zombies as well, also where the scope was disposed before.
func TestCancelAfterDisposeEndsZombies(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f := newFamily(ctx, scheduler.AllowZombies())
		f.outer.DisposeSafely()
		require.False(t, f.started.CancelRequested())
		f.outer.Cancel(errBoom)
		requireCancelled(t, f.started.Await(ctx), errBoom)
		requireCancelled(t, f.nephew.Await(ctx), errBoom)
		return nil
	}, virtual())
}

func TestDisposeAfter(t *testing.T) {
	clean(t)
	clock := virtual()
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error {
		began := scheduler.Current(ctx).Scheduler().Now()
		f := newFamily(ctx)
		f.outer.DisposeAfter(time.Second)
		require.False(t, f.outer.Closed())
		require.NoError(t, f.outer.AwaitCompletion(ctx))
		require.Equal(t, time.Second, scheduler.Current(ctx).Scheduler().Now().Sub(began))
		require.ErrorIs(t, f.started.Await(ctx), context.Canceled)

		over := scheduler.NewScope(ctx)
		over.Close()
		over.DisposeAfter(time.Second)
		ends := scheduler.NewScope(ctx)
		ends.DisposeAfter(time.Hour)
		ends.Close()
		scheduler.NewScope(ctx).DisposeAfter(time.Hour) // keeps no Run from ending
		return nil
	}, clock))
}

func TestAwaitAfterCancellation(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx, scheduler.AllowZombies())
		var before []error
		sc.OnError(func(_ *scheduler.Coroutine, err error) { before = append(before, err) })
		require.Error(t, sc.AwaitAfterCancellation(ctx, nil), "it is not cancelled")
		fail := func(d time.Duration, err error) {
			scheduler.Go(ctx, func(ctx context.Context) error {
				_ = scheduler.Sleep(ctx, d)
				return err
			}, scheduler.In(sc))
		}
		a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
		fail(1*time.Second, a)
		fail(2*time.Second, b)
		fail(3*time.Second, c)
		yields(ctx, 1)
		sc.Dispose()
		var during, other []error
		scheduler.Go(ctx, func(ctx context.Context) error {
			short, cancel := scheduler.WithTimeout(ctx, 1500*time.Millisecond)
			defer cancel()
			err := sc.AwaitAfterCancellation(short, func(err error) { other = append(other, err) })
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return nil
		})
		yields(ctx, 1)
		require.NoError(t, sc.AwaitAfterCancellation(ctx, func(err error) { during = append(during, err) }))
		require.Empty(t, before)
		require.ElementsMatch(t, []error{a, b, c}, append(other, during...), "each once")
		require.Contains(t, during, b)
		require.Contains(t, during, c)

		// Whoever waited first and leaves last puts nothing stale in place.
		require.NoError(t, sc.AwaitAfterCancellation(ctx, func(err error) { during = append(during, err) }))
		return nil
	}, virtual())
}

// Two who wait in overlapping times leave the handlers as they were.
func TestAwaitAfterCancellationLeavesTheHandlers(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx, scheduler.AllowZombies())
		var before []error
		sc.OnError(func(_ *scheduler.Coroutine, err error) { before = append(before, err) })
		scheduler.Go(ctx, func(ctx context.Context) error {
			_ = scheduler.Sleep(ctx, time.Minute)
			return errBoom
		}, scheduler.In(sc))
		yields(ctx, 1)
		sc.DisposeSafely()
		for _, d := range []time.Duration{1, 2} { // the first to come is the first to go
			scheduler.Go(ctx, func(ctx context.Context) error {
				short, cancel := scheduler.WithTimeout(ctx, d*time.Second)
				defer cancel()
				err := sc.AwaitAfterCancellation(short, func(error) { t.Error("it has gone") })
				require.ErrorIs(t, err, context.DeadlineExceeded)
				return nil
			})
		}
		require.NoError(t, sc.AwaitCompletion(ctx))
		require.Equal(t, []error{errBoom}, before)
		return nil
	}, virtual())
}

// Whatever is suspended when Run ends, or its scope is disposed, is unwound.
func TestFault_TM1_NobodyStaysParked(t *testing.T) {
	for name, end := range map[string]func(ctx context.Context, sc *scheduler.Scope){
		"dispose":  func(_ context.Context, sc *scheduler.Scope) { sc.Dispose() },
		"cancel":   func(_ context.Context, sc *scheduler.Scope) { sc.Cancel(nil) },
		"shutdown": func(ctx context.Context, _ *scheduler.Scope) { scheduler.Current(ctx).Scheduler().Shutdown(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			unwound := 0
			err := scheduler.Run(t.Context(), func(ctx context.Context) error {
				sc := scheduler.NewScope(ctx)
				for _, sus := range suspensions {
					scheduler.Go(ctx, func(ctx context.Context) error {
						defer func() { unwound++ }()
						return sus.do(ctx)
					}, scheduler.In(sc))
				}
				yields(ctx, 3)
				end(ctx, sc)
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, len(suspensions), unwound)
		})
	}
}

func ExampleScope_Cancel() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		c := scheduler.Go(ctx, scheduler.AwaitShutdown, scheduler.In(sc))
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		sc.Cancel(errors.New("not needed any more"))
		fmt.Println(c.Await(ctx))
		return nil
	})
	// Output: scheduler: cancelled: not needed any more
}

func ExampleAllowZombies() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx, scheduler.AllowZombies())
		scheduler.Go(ctx, func(ctx context.Context) error {
			err := scheduler.Sleep(ctx, time.Millisecond)
			fmt.Println("ended by itself:", err)
			return err
		}, scheduler.In(sc))
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		sc.Dispose()
		return sc.AwaitAfterCancellation(ctx, nil)
	})
	// Output: ended by itself: <nil>
}

// What has started ends by itself, what has not never runs.
func ExampleScope_DisposeSafely() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		scheduler.Go(ctx, func(ctx context.Context) error {
			err := scheduler.Sleep(ctx, time.Millisecond)
			fmt.Println("ended by itself:", err)
			return err
		}, scheduler.In(sc))
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		late := scheduler.Go(ctx, func(context.Context) error { fmt.Println("never printed"); return nil }, scheduler.In(sc))
		sc.DisposeSafely()
		fmt.Println("too late:", late.Await(ctx))
		return sc.AwaitAfterCancellation(ctx, nil)
	})
	// Output:
	// too late: scheduler: cancelled: scheduler: scope was disposed
	// ended by itself: <nil>
}

func ExampleScope_DisposeAfter() {
	clock := schedtest.NewClock(schedtest.Start)
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		c := scheduler.Go(ctx, scheduler.AwaitShutdown, scheduler.In(sc))
		sc.DisposeAfter(time.Minute)
		err := c.Await(ctx)
		fmt.Println(clock.Now().Sub(schedtest.Start), err)
		return nil
	}, scheduler.WithClock(clock))
	// Output: 1m0s scheduler: cancelled: scheduler: scope was disposed
}
