package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// suspensions is every way to suspend with a ctx, each for longer than a test lasts.
var suspensions = []struct {
	name string
	do   func(ctx context.Context) error
}{
	{"Suspend", func(ctx context.Context) error {
		_, err := scheduler.Suspend(ctx)
		return err
	}},
	{"Suspend with a custom event", func(ctx context.Context) error {
		_, err := scheduler.Suspend(ctx, &flag{})
		return err
	}},
	{"Suspend with several", func(ctx context.Context) error {
		r := scheduler.Current(ctx).Scheduler().Reactor()
		_, err := scheduler.Suspend(ctx, r.NewTimer(time.Hour, 0), &flag{}, r.NewTimer(2*time.Hour, 0))
		return err
	}},
	{"Sleep", forever},
	{"Await of a future", func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(ctx)
		return err
	}},
	{"Await of an external future", func(ctx context.Context) error {
		f, _ := scheduler.NewExternal[int](ctx)
		_, err := f.Await(ctx)
		return err
	}},
	{"Await of a coroutine", func(ctx context.Context) error {
		c := scheduler.Go(context.WithoutCancel(ctx), forever)
		defer c.Cancel(nil)
		return c.Await(ctx)
	}},
	{"AwaitAll", func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := scheduler.AwaitAll(ctx, scheduler.Completed(1), f)
		return err
	}},
	{"AwaitAny", func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := scheduler.AwaitAny(ctx, f)
		return err
	}},
	{"AwaitFirst", func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := scheduler.AwaitFirst(ctx, scheduler.Failed[int](errBoom), f)
		return err
	}},
	{"AwaitN", func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := scheduler.AwaitN(ctx, 1, f)
		return err
	}},
	{"AwaitCompletion", func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		c := scheduler.Go(context.WithoutCancel(ctx), forever, scheduler.In(sc))
		defer c.Cancel(nil)
		return sc.AwaitCompletion(ctx)
	}},
	{"AwaitShutdown", scheduler.AwaitShutdown},
	{"Recv", func(ctx context.Context) error {
		_, err := scheduler.NewChannel[int](ctx, 0).Recv(ctx)
		return err
	}},
	{"Send", func(ctx context.Context) error { return scheduler.NewChannel[int](ctx, 0).Send(ctx, 1) }},
	{"Yield", func(ctx context.Context) error {
		for {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
	}},
}

// requireCancelled requires that err is a cancellation with that cause.
func requireCancelled(t testing.TB, err, cause error) {
	t.Helper()
	var e *scheduler.CancelledError
	require.ErrorAs(t, err, &e)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, cause, e.Cause)
	if cause != nil {
		require.ErrorIs(t, err, cause)
	}
}

func TestCancelEndsEverySuspension(t *testing.T) {
	for _, sus := range suspensions {
		t.Run(sus.name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				var got error
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					got = sus.do(ctx)
					return got
				})
				yields(ctx, 3)
				require.NotEqual(t, scheduler.Finished, c.State())
				c.Cancel(errBoom)
				err := c.Await(ctx)
				requireCancelled(t, got, errBoom)
				requireCancelled(t, err, errBoom)
				require.True(t, c.Cancelled())
				return nil
			}, virtual())
		})
	}
}

// After the cancellation everything that takes the ctx fails at once: without a
// switch, and again and again.
func TestCancellationIsSticky(t *testing.T) {
	for _, sus := range suspensions {
		t.Run(sus.name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					self := scheduler.Current(ctx)
					self.Cancel(errBoom)
					ran := false
					other := scheduler.Go(ctx, func(context.Context) error { ran = true; return nil })
					defer other.Cancel(nil)
					for range 3 {
						requireCancelled(t, sus.do(ctx), errBoom)
					}
					require.False(t, ran, "a suspension that fails at once runs nobody else")
					require.Equal(t, scheduler.Running, self.State())
					return ctx.Err()
				})
				requireCancelled(t, c.Await(ctx), errBoom)
				return nil
			}, virtual())
		})
	}
}

func TestCancelOfWhatHasEndedDoesNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(context.Context) error { return nil })
		require.NoError(t, c.Await(ctx))
		c.Cancel(errBoom)
		require.NoError(t, c.Await(ctx))
		require.False(t, c.CancelRequested())
		require.False(t, c.Cancelled())
		return nil
	})
}

func TestFault_KT3_CancelledBeforeItStarts(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ran := false
		body := func(context.Context) error { ran = true; return nil }
		c := scheduler.Go(ctx, body)
		f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 1, body(ctx) })
		var told, waited error
		c.Finally(func(c *scheduler.Coroutine) { told = c.Await(ctx) })
		require.Equal(t, scheduler.Created, c.State())
		c.Cancel(errBoom)
		f.Cancel(errBoom)
		require.Equal(t, scheduler.Finished, c.State())
		require.True(t, f.Done())
		waited = c.Await(ctx)
		requireCancelled(t, waited, errBoom)
		_, err := f.Await(ctx)
		requireCancelled(t, err, errBoom)
		require.Error(t, told)
		yields(ctx, 3)
		require.False(t, ran)
		return nil
	})
}

func TestWaitersOfOneCancelledBeforeItStarts(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		late := false
		var c *scheduler.Coroutine
		waiter := scheduler.Go(ctx, func(ctx context.Context) error {
			c = scheduler.Go(ctx, func(context.Context) error { late = true; return nil })
			scheduler.Go(ctx, func(context.Context) error { c.Cancel(errBoom); return nil }, scheduler.HighPriority())
			return c.Await(ctx)
		}, scheduler.HighPriority())
		err := waiter.Await(ctx)
		if late { // the seed had it start first
			return nil
		}
		requireCancelled(t, err, errBoom)
		require.False(t, waiter.Cancelled(), "it was not the waiter that was cancelled")
		return nil
	})
}

func TestOwnCancellation(t *testing.T) {
	run(t, func(ctx context.Context) error {
		went := false
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			scheduler.Current(ctx).Cancel(errBoom)
			require.Equal(t, context.Canceled, ctx.Err())
			require.Equal(t, errBoom, context.Cause(ctx))
			went = true
			return scheduler.Yield(ctx)
		})
		requireCancelled(t, c.Await(ctx), errBoom)
		require.True(t, went)
		return nil
	})
}

func TestFirstCauseStays(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, forever)
		yields(ctx, 1)
		c.Cancel(errBoom)
		c.Cancel(errors.New("second"))
		requireCancelled(t, c.Await(ctx), errBoom)
		require.Equal(t, errBoom, context.Cause(c))
		require.True(t, c.CancelRequested())
		return nil
	})
}

func TestCancelWithoutACause(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, forever)
		yields(ctx, 1)
		c.Cancel(nil)
		requireCancelled(t, c.Await(ctx), nil)
		require.Equal(t, context.Canceled, context.Cause(c))
		return nil
	})
}

// What a cancelled body returns says how it ended.
func TestOutcomeAfterACancellation(t *testing.T) {
	own := errors.New("own")
	for name, tc := range map[string]struct {
		returns   func(ctx context.Context, got error) error
		cancelled bool
		is        error
	}{
		"nothing":                {func(context.Context, error) error { return nil }, false, nil},
		"its cancellation":       {func(_ context.Context, got error) error { return got }, true, errBoom},
		"wrapped":                {func(_ context.Context, got error) error { return fmt.Errorf("x: %w", got) }, true, errBoom},
		"ctx.Err()":              {func(ctx context.Context, _ error) error { return ctx.Err() }, true, errBoom},
		"ctx.Err(), wrapped":     {func(ctx context.Context, _ error) error { return fmt.Errorf("x: %w", ctx.Err()) }, true, errBoom},
		"the cause":              {func(ctx context.Context, _ error) error { return context.Cause(ctx) }, true, errBoom},
		"a real error":           {func(context.Context, error) error { return own }, false, own},
		"a timeout that it made": {func(context.Context, error) error { return &scheduler.TimeoutError{After: 1} }, false, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				c := scheduler.Go(ctx, func(ctx context.Context) error { return tc.returns(ctx, forever(ctx)) })
				f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 7, tc.returns(ctx, forever(ctx)) })
				yields(ctx, 1)
				c.Cancel(errBoom)
				f.Cancel(errBoom)
				err := c.Await(ctx)
				v, ferr := f.Await(ctx)
				require.Equal(t, tc.cancelled, c.Cancelled())
				for _, err := range []error{err, ferr} {
					var e *scheduler.CancelledError
					require.Equal(t, tc.cancelled, errors.As(err, &e), "%v", err)
					if tc.is == nil {
						require.NoError(t, err)
						require.Equal(t, 7, v)
					} else {
						require.ErrorIs(t, err, tc.is)
						require.Zero(t, v)
					}
				}
				return nil
			})
		})
	}
}

func TestCancelFromAnotherGoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, scheduler.AwaitShutdown)
		elsewhere(func() { c.Cancel(errBoom) })
		requireCancelled(t, c.Await(ctx), errBoom)
		elsewhere(func() { c.Cancel(errors.New("late")) })
		return nil
	})
}

// Woken and cancelled before it runs: the cancellation is what it hears of, and
// what has settled is given all the same.
func TestCancelOfAReadyOne(t *testing.T) {
	run(t, func(ctx context.Context) error {
		e := &flag{}
		suspended := scheduler.Go(ctx, func(ctx context.Context) error {
			_, err := scheduler.Suspend(ctx, e)
			return err
		})
		f, r := scheduler.NewFuture[int](ctx)
		awaiting := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return f.Await(ctx) })
		yields(ctx, 1)
		e.fire(nil)
		require.Equal(t, scheduler.Ready, suspended.State())
		suspended.Cancel(errBoom)
		require.NoError(t, r.Complete(3))
		awaiting.Cancel(errBoom)
		requireCancelled(t, suspended.Await(ctx), errBoom)
		v, err := awaiting.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 3, v)
		require.Empty(t, e.subs)
		require.Equal(t, e.starts, e.stops)
		return nil
	})
}

func TestCancelledAndThenWoken(t *testing.T) {
	run(t, func(ctx context.Context) error {
		e := &flag{}
		var fired reactor.Event
		c := scheduler.Go(ctx, func(ctx context.Context) (err error) {
			fired, err = scheduler.Suspend(ctx, e)
			return err
		})
		yields(ctx, 1)
		c.Cancel(errBoom)
		e.fire(errors.New("of the event"))
		requireCancelled(t, c.Await(ctx), errBoom)
		require.Nil(t, fired)
		return nil
	})
}

// What was awaited under a ctx that ended meanwhile is given if it is there.
func TestAwaitOfWhatHasSettledUnderAnEndedCtx(t *testing.T) {
	run(t, func(ctx context.Context) error {
		done := scheduler.Go(ctx, func(context.Context) error { return nil })
		f := scheduler.Completed(1)
		sc := scheduler.NewScope(ctx)
		require.NoError(t, done.Await(ctx))
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			scheduler.Current(ctx).Cancel(errBoom)
			require.NoError(t, done.Await(ctx))
			v, err := f.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, 1, v)
			_, err = scheduler.AwaitAll(ctx, f, f)
			require.NoError(t, err)
			_, err = scheduler.AwaitAny(ctx, f)
			require.NoError(t, err)
			_, err = scheduler.AwaitFirst(ctx, f)
			require.NoError(t, err)
			require.NoError(t, sc.AwaitCompletion(ctx))
			fired, err := scheduler.Suspend(ctx, f)
			require.NoError(t, err)
			require.Equal(t, reactor.Event(f), fired)
			return nil
		})
		return c.Await(ctx)
	})
}

func TestCleanUpAfterACancellation(t *testing.T) {
	run(t, func(ctx context.Context) error {
		slept := 0
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			defer func() {
				if scheduler.Sleep(context.WithoutCancel(ctx), time.Second) == nil {
					slept++
				}
				if scheduler.Protect(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Second) }) == nil {
					slept++
				}
			}()
			return forever(ctx)
		})
		yields(ctx, 1)
		c.Cancel(errBoom)
		requireCancelled(t, c.Await(ctx), errBoom)
		require.Equal(t, 2, slept)
		return nil
	}, virtual())
}

// A wait without a ctx is interrupted once: the one under way, or the next.
func TestInterruptedOnce(t *testing.T) {
	wait := func(ctx context.Context) error {
		c := scheduler.Current(ctx)
		return c.Wait(c.Scheduler().Reactor().NewTimer(time.Minute, 0))
	}
	for name, body := range map[string]func(ctx context.Context, t *testing.T){
		"the one under way": func(ctx context.Context, t *testing.T) {
			requireCancelled(t, wait(ctx), errBoom)
		},
		"the next": func(ctx context.Context, t *testing.T) {
			require.NoError(t, scheduler.Sleep(context.WithoutCancel(ctx), time.Minute))
			requireCancelled(t, wait(ctx), errBoom)
		},
		"what has a ctx has told of it": func(ctx context.Context, t *testing.T) {
			requireCancelled(t, forever(ctx), errBoom)
		},
		"what has a derived ctx has told of it": func(ctx context.Context, t *testing.T) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			requireCancelled(t, forever(ctx), errBoom)
		},
		"what was cut off has not": func(ctx context.Context, t *testing.T) {
			c := scheduler.Current(ctx)
			scheduler.Go(ctx, func(ctx context.Context) error {
				require.NoError(t, scheduler.Sleep(ctx, time.Minute))
				return c.Resume(errBoom)
			})
			_, err := scheduler.Suspend(context.WithoutCancel(ctx), &flag{})
			require.Equal(t, errBoom, err)
			requireCancelled(t, wait(ctx), errBoom)
		},
		"nor what gave a result all the same": func(ctx context.Context, t *testing.T) {
			c := scheduler.Current(ctx)
			f, r := scheduler.NewFuture[int](ctx)
			scheduler.Go(ctx, func(ctx context.Context) error {
				require.NoError(t, scheduler.Sleep(ctx, time.Second))
				require.NoError(t, r.Complete(1))
				c.Cancel(errBoom)
				return nil
			})
			_, err := f.Await(ctx)
			require.NoError(t, err)
			requireCancelled(t, wait(ctx), errBoom)
		},
		"nor the await of a coroutine that has ended": func(ctx context.Context, t *testing.T) {
			c := scheduler.Current(ctx)
			other := scheduler.Go(ctx, func(ctx context.Context) error {
				require.NoError(t, scheduler.Sleep(ctx, time.Second))
				return nil
			})
			other.Finally(func(*scheduler.Coroutine) { c.Cancel(errBoom) })
			require.NoError(t, other.Await(ctx))
			requireCancelled(t, wait(ctx), errBoom)
		},
		"nor that of many": func(ctx context.Context, t *testing.T) {
			c := scheduler.Current(ctx)
			f, r := scheduler.NewFuture[int](ctx)
			scheduler.Go(ctx, func(ctx context.Context) error {
				require.NoError(t, scheduler.Sleep(ctx, time.Second))
				require.NoError(t, r.Complete(1))
				c.Cancel(errBoom)
				return nil
			})
			_, err := scheduler.AwaitAll(ctx, f)
			require.NoError(t, err)
			requireCancelled(t, wait(ctx), errBoom)
		},
		"nor a send that was taken": func(ctx context.Context, t *testing.T) {
			c := scheduler.Current(ctx)
			ch := scheduler.NewChannel[int](ctx, 0)
			scheduler.Go(ctx, func(ctx context.Context) error {
				require.NoError(t, scheduler.Sleep(ctx, time.Second))
				_, ok := ch.TryRecv()
				require.True(t, ok)
				c.Cancel(errBoom)
				return nil
			})
			require.NoError(t, ch.Send(ctx, 1))
			requireCancelled(t, wait(ctx), errBoom)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					body(ctx, t)
					for range 3 {
						require.NoError(t, wait(ctx), "later ones work")
					}
					requireCancelled(t, forever(ctx), errBoom)
					require.NoError(t, wait(ctx))
					return nil
				})
				require.NoError(t, scheduler.Sleep(ctx, 30*time.Second))
				c.Cancel(errBoom)
				return c.Await(ctx)
			}, virtual())
		})
	}
}

// A body that takes no notice of its cancellation does not hold the loop.
func TestIgnoringACancellationStarvesNobody(t *testing.T) {
	for _, sus := range suspensions {
		t.Run(sus.name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				over := false
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					scheduler.Current(ctx).Cancel(errBoom)
					for !over {
						requireCancelled(t, sus.do(ctx), errBoom)
					}
					return nil
				})
				scheduler.Go(ctx, func(ctx context.Context) error {
					err := scheduler.Sleep(ctx, 0)
					over = true
					return err
				})
				return c.Await(ctx)
			})
		})
	}
}

func TestFault_TK9_CancelIsARequest(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ended := false
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			err := forever(ctx)
			yields(ctx, 3)
			ended = true
			return err
		})
		yields(ctx, 1)
		c.Cancel(nil)
		require.False(t, ended)
		require.True(t, c.CancelRequested())
		require.False(t, c.Cancelled(), "not before it has ended")
		requireCancelled(t, c.Await(ctx), nil)
		require.True(t, ended)
		require.True(t, c.Cancelled())
		return nil
	})
}

// Who cancelled, and why, can be told from ctx and from the error.
func TestFault_TR4_TheCauseIsKnown(t *testing.T) {
	clean(t)
	sibling := errors.New("a sibling failed")
	for name, tc := range map[string]struct {
		provoke func(ctx context.Context, sc *scheduler.Scope, c *scheduler.Coroutine)
		is      []error
		not     error
	}{
		"explicit":  {func(_ context.Context, _ *scheduler.Scope, c *scheduler.Coroutine) { c.Cancel(errBoom) }, []error{context.Canceled, errBoom}, scheduler.ErrShutdown},
		"its scope": {func(_ context.Context, sc *scheduler.Scope, _ *scheduler.Coroutine) { sc.Cancel(sibling) }, []error{context.Canceled, sibling}, scheduler.ErrShutdown},
		"shutdown": {func(_ context.Context, _ *scheduler.Scope, c *scheduler.Coroutine) { c.Scheduler().Shutdown(errBoom) },
			[]error{context.Canceled, errBoom, scheduler.ErrShutdown}, context.DeadlineExceeded},
		"shutdown without a cause": {func(_ context.Context, _ *scheduler.Scope, c *scheduler.Coroutine) { c.Scheduler().Shutdown(nil) },
			[]error{context.Canceled, scheduler.ErrShutdown}, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				sc := scheduler.NewScope(ctx)
				var got, cause, std error
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					derived, cancel := context.WithCancel(ctx)
					defer cancel()
					got = forever(ctx)
					cause = context.Cause(ctx)
					std = context.Cause(derived)
					return got
				}, scheduler.In(sc))
				yields(ctx, 1)
				tc.provoke(ctx, sc, c)
				_ = c.Await(context.WithoutCancel(ctx))
				require.True(t, c.Cancelled())
				require.Equal(t, cause, std)
				for _, is := range tc.is {
					require.ErrorIs(t, got, is)
					require.ErrorIs(t, c.Await(context.WithoutCancel(ctx)), is)
				}
				for _, is := range tc.is[1:] {
					require.ErrorIs(t, cause, is)
				}
				require.NotErrorIs(t, got, tc.not)
				return nil
			})
		})
	}
}

type customCause struct{ code int }

func (*customCause) Error() string { return "custom" }

func TestFault_PY8_CustomCauses(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, cause := range []error{
			&customCause{7},
			fmt.Errorf("wrapped: %w", &customCause{7}),
			&scheduler.CancelledError{Cause: &customCause{7}},
			fmt.Errorf("%w: %w", context.Canceled, &customCause{7}),
		} {
			c := scheduler.Go(ctx, func(ctx context.Context) error { return fmt.Errorf("body: %w", forever(ctx)) })
			yields(ctx, 1)
			c.Cancel(cause)
			err := c.Await(ctx)
			require.True(t, c.Cancelled())
			require.ErrorIs(t, err, context.Canceled)
			var custom *customCause
			require.ErrorAs(t, err, &custom)
			require.Equal(t, 7, custom.code)
		}
		return nil
	})
}

// An error handled within at the same moment does not swallow the cancellation
// from without, in either order.
func TestFault_PY1_InnerFailureDoesNotSwallowTheOuterCancellation(t *testing.T) {
	for _, outerFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("outer first %v", outerFirst), func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				var inner error
				f, r := scheduler.NewFuture[int](ctx)
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					sc := scheduler.NewScope(ctx)
					defer sc.Dispose()
					scheduler.Go(ctx, func(ctx context.Context) error {
						_, err := f.Await(ctx)
						return err
					}, scheduler.In(sc))
					sc.OnError(func(_ *scheduler.Coroutine, err error) { inner = err })
					_ = sc.AwaitCompletion(ctx) // handled, or so it thinks
					return forever(ctx)
				})
				yields(ctx, 3)
				if outerFirst {
					c.Cancel(errBoom)
					require.NoError(t, r.Fail(errors.New("inner")))
				} else {
					require.NoError(t, r.Fail(errors.New("inner")))
					c.Cancel(errBoom)
				}
				requireCancelled(t, c.Await(ctx), errBoom)
				require.True(t, c.Cancelled())
				require.EqualError(t, inner, "inner", "and the inner one was told as well")
				return nil
			})
		})
	}
}

// (outer cancel | outer timeout) × (inner failure | inner cancel) × order: the
// outer end is seen without, the inner one within.
func TestFault_PY3_BothEndsAreSeen(t *testing.T) {
	innerEnds := map[string]func(ctx context.Context, cancel context.CancelCauseFunc, r *scheduler.Resolver[int]){
		"inner failure": func(_ context.Context, _ context.CancelCauseFunc, r *scheduler.Resolver[int]) {
			_ = r.Fail(errBoom)
		},
		"inner cancel": func(_ context.Context, cancel context.CancelCauseFunc, _ *scheduler.Resolver[int]) { cancel(errBoom) },
	}
	for innerName, endInner := range innerEnds {
		for _, outer := range []string{"cancel", "timeout"} {
			for _, outerFirst := range []bool{true, false} {
				t.Run(fmt.Sprintf("outer %s, %s, outer first %v", outer, innerName, outerFirst), func(t *testing.T) {
					orders(t, func(ctx context.Context) error {
						f, r := scheduler.NewFuture[int](ctx)
						f.Ignore() // where the outer end comes first, nobody waits
						var cancelInner context.CancelCauseFunc
						var innerErr, after error
						var c *scheduler.Coroutine
						result := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
							c = scheduler.Current(ctx)
							timeout, stop := scheduler.WithTimeout(ctx, time.Minute)
							defer stop()
							inner, cancel := context.WithCancelCause(timeout)
							cancelInner = cancel
							defer cancel(nil)
							_, innerErr = f.Await(inner)
							after = forever(timeout)
							return 0, after
						})
						yields(ctx, 2)
						endOuter := func() { c.Cancel(errors.New("outer")) }
						if outer == "timeout" {
							endOuter = func() { require.NoError(t, scheduler.Sleep(ctx, 2*time.Minute)) }
						}
						if outerFirst {
							endOuter()
							endInner(ctx, cancelInner, r)
						} else {
							endInner(ctx, cancelInner, r)
							endOuter()
						}
						_, err := result.Await(ctx)
						require.Error(t, innerErr)
						require.Equal(t, after, err)
						if outer == "timeout" {
							require.ErrorIs(t, err, context.DeadlineExceeded)
							require.NotErrorIs(t, err, context.Canceled)
							require.False(t, c.Cancelled())
						} else {
							require.ErrorIs(t, err, context.Canceled)
							require.ErrorContains(t, err, "outer")
							require.True(t, c.Cancelled())
						}
						if !outerFirst {
							require.ErrorIs(t, innerErr, errBoom)
						}
						return nil
					}, virtual())
				})
			}
		}
	}
}

// With the bare ctx of a cancelled coroutine one may spawn while the scope is open.
func TestSpawnByACancelledCoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var child *scheduler.Coroutine
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			scheduler.Current(ctx).Cancel(errBoom)
			child = scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Yield(ctx) })
			return scheduler.Yield(ctx)
		})
		requireCancelled(t, c.Await(ctx), errBoom)
		return child.Await(ctx)
	})
}

func ExampleCoroutine_Cancel() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			err := scheduler.Sleep(ctx, time.Hour)
			fmt.Println("told:", context.Cause(ctx))
			return err
		})
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		stale := errors.New("a newer request is here")
		c.Cancel(stale)
		err := c.Await(ctx)
		fmt.Println(err)
		fmt.Println(errors.Is(err, context.Canceled), errors.Is(err, stale), c.Cancelled())
		return nil
	})
	// Output:
	// told: a newer request is here
	// scheduler: cancelled: a newer request is here
	// true true true
}

// An error tells that somebody was cancelled, Cancelled that this coroutine was.
func ExampleCancelledError() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		show := func(c *scheduler.Coroutine) {
			err := c.Await(ctx)
			var end *scheduler.CancelledError
			switch {
			case err == nil:
				fmt.Println("succeeded")
			case c.Cancelled():
				fmt.Println("was cancelled:", err)
			case errors.As(err, &end):
				fmt.Println("failed, as another was cancelled with cause:", end.Cause)
			default:
				fmt.Println("failed:", err)
			}
		}
		show(scheduler.Go(ctx, func(context.Context) error { return nil }))
		show(scheduler.Go(ctx, func(context.Context) error { return errors.New("disk full") }))
		cancelled := scheduler.Go(ctx, scheduler.AwaitShutdown)
		cancelled.Cancel(errors.New("not needed"))
		show(cancelled)
		show(scheduler.Go(ctx, func(ctx context.Context) error { return cancelled.Await(ctx) }))
		return nil
	})
	// Output:
	// succeeded
	// failed: disk full
	// was cancelled: scheduler: cancelled: not needed
	// failed, as another was cancelled with cause: not needed
}
