package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Each way in which a failure may be met, and how often it must then have been told
// in all: to handlers, by waiters, by Run.
func TestFault_TA8_EachFailureIsToldOnce(t *testing.T) {
	type world struct {
		ctx  context.Context
		told *int // by waiters
		sc   *scheduler.Scope
		t    *testing.T
	}
	fails := func(ctx context.Context) error {
		if err := scheduler.Sleep(ctx, 10*time.Second); err != nil {
			return err
		}
		return errBoom
	}
	spawn := func(w world) *scheduler.Future[int] {
		return scheduler.Spawn(w.ctx, func(ctx context.Context) (int, error) { return 0, fails(ctx) }, scheduler.In(w.sc))
	}
	saw := func(w world, err error) {
		if errors.Is(err, errBoom) {
			*w.told++
		}
	}
	for name, tc := range map[string]struct {
		meet func(w world)
		want int // by waiters; where that is 0, the handler must have been told once
		none bool
	}{
		"Go, nobody": {meet: func(w world) { scheduler.Go(w.ctx, fails, scheduler.In(w.sc)) }},
		"Go, awaited": {meet: func(w world) {
			saw(w, scheduler.Go(w.ctx, fails, scheduler.In(w.sc)).Await(w.ctx))
		}, want: 1},
		"Go, awaited by two": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			scheduler.Go(w.ctx, func(ctx context.Context) error { saw(w, c.Await(ctx)); return nil })
			saw(w, c.Await(w.ctx))
		}, want: 2},
		"Go, subscribed": {meet: func(w world) {
			scheduler.Go(w.ctx, fails, scheduler.In(w.sc)).Subscribe(func(err error) { saw(w, err) })
		}, want: 1},
		"Go, subscription undone": {meet: func(w world) {
			scheduler.Go(w.ctx, fails, scheduler.In(w.sc)).Subscribe(func(err error) { saw(w, err) })()
		}},
		"Go, awaited from another goroutine": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			f := scheduler.Offload(w.ctx, func(context.Context) (int, error) { return 0, c.Await(context.Background()) })
			_, err := f.Await(w.ctx)
			saw(w, err)
		}, want: 1},
		"Go, left by another goroutine": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			f := scheduler.Offload(w.ctx, func(context.Context) (int, error) {
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				return 0, c.Await(ended)
			})
			_, err := f.Await(w.ctx)
			require.ErrorIs(w.t, err, context.Canceled)
		}},
		"Go, awaited by one cancelled before": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			waiter := scheduler.Go(w.ctx, func(ctx context.Context) error { return c.Await(ctx) })
			yields(w.ctx, 2)
			waiter.Cancel(nil)
			requireCancelled(w.t, waiter.Await(w.ctx), nil)
		}},
		"Go, awaited by one that is cancelled at the same moment": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			waiter := scheduler.Go(w.ctx, func(ctx context.Context) error { saw(w, c.Await(ctx)); return nil })
			c.Finally(func(*scheduler.Coroutine) { waiter.Cancel(nil) })
			require.NoError(w.t, waiter.Await(w.ctx))
		}, want: 1},
		"Go, awaited by one that is cancelled just before": {meet: func(w world) {
			var waiter *scheduler.Coroutine
			c := scheduler.Go(w.ctx, func(ctx context.Context) error {
				err := fails(ctx)
				waiter.Cancel(nil)
				return err
			}, scheduler.In(w.sc))
			waiter = scheduler.Go(w.ctx, func(ctx context.Context) error { saw(w, c.Await(ctx)); return nil })
			require.NoError(w.t, waiter.Await(w.ctx))
		}, want: 1},
		"Go, in a Suspend that something else has ended": {meet: func(w world) {
			var waiter *scheduler.Coroutine
			f, r := scheduler.NewFuture[int](w.ctx)
			c := scheduler.Go(w.ctx, func(ctx context.Context) error {
				err := fails(ctx)
				require.NoError(w.t, r.Complete(1)) // the waiter is ready, and still listed
				return err
			}, scheduler.In(w.sc))
			waiter = scheduler.Go(w.ctx, func(ctx context.Context) error {
				fired, err := scheduler.Suspend(ctx, f, c)
				require.True(w.t, fired == reactor.Event(f) || errors.Is(err, scheduler.ErrShutdown))
				return err
			})
			_ = waiter.Await(w.ctx)
		}},
		"Go, in a Suspend that was cancelled just before": {meet: func(w world) {
			var waiter *scheduler.Coroutine
			c := scheduler.Go(w.ctx, func(ctx context.Context) error {
				err := fails(ctx)
				waiter.Cancel(nil)
				return err
			}, scheduler.In(w.sc))
			waiter = scheduler.Go(w.ctx, func(ctx context.Context) error {
				_, err := scheduler.Suspend(ctx, c)
				requireCancelled(w.t, err, nil)
				return err
			})
			_ = waiter.Await(w.ctx) // without a handler it is shut down meanwhile
		}},
		"Go, in a Suspend that was cancelled just after": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			waiter := scheduler.Go(w.ctx, func(ctx context.Context) error {
				_, err := scheduler.Suspend(ctx, c)
				return err
			})
			c.Finally(func(*scheduler.Coroutine) { waiter.Cancel(nil) })
			requireCancelled(w.t, waiter.Await(w.ctx), nil)
		}},
		"Go, in a Suspend": {meet: func(w world) {
			_, err := scheduler.Suspend(w.ctx, scheduler.Go(w.ctx, fails, scheduler.In(w.sc)))
			saw(w, err)
		}, want: 1},
		"Spawn, nobody": {meet: func(w world) { spawn(w) }},
		"Spawn, awaited": {meet: func(w world) {
			_, err := spawn(w).Await(w.ctx)
			saw(w, err)
		}, want: 1},
		"Spawn, awaited late": {meet: func(w world) {
			f := spawn(w)
			require.NoError(w.t, scheduler.Sleep(w.ctx, time.Minute))
			_, err := f.Await(w.ctx)
			saw(w, err)
		}, want: 1},
		"Spawn, ignored":      {meet: func(w world) { spawn(w).Ignore() }, none: true},
		"Spawn, ignored late": {meet: func(w world) { f := spawn(w); _ = scheduler.Sleep(w.ctx, time.Minute); f.Ignore() }, none: true},
		"Spawn, awaited by one cancelled before": {meet: func(w world) {
			f := spawn(w)
			waiter := scheduler.Go(w.ctx, func(ctx context.Context) error { _, err := f.Await(ctx); return err })
			yields(w.ctx, 2)
			waiter.Cancel(nil)
			requireCancelled(w.t, waiter.Await(w.ctx), nil)
		}},
		"Spawn, in a Suspend that something else has ended": {meet: func(w world) {
			g, r := scheduler.NewFuture[int](w.ctx)
			f := scheduler.Spawn(w.ctx, func(ctx context.Context) (int, error) {
				err := fails(ctx)
				require.NoError(w.t, r.Complete(1))
				return 0, err
			}, scheduler.In(w.sc))
			fired, err := scheduler.Suspend(w.ctx, g, f)
			require.NoError(w.t, err)
			require.True(w.t, fired == reactor.Event(g))
		}},
		"Spawn, in a Suspend that was cancelled just after": {meet: func(w world) {
			var waiter *scheduler.Coroutine
			f := scheduler.Spawn(w.ctx, func(ctx context.Context) (int, error) {
				scheduler.Current(ctx).Finally(func(*scheduler.Coroutine) { waiter.Cancel(nil) })
				return 0, fails(ctx)
			}, scheduler.In(w.sc))
			waiter = scheduler.Go(w.ctx, func(ctx context.Context) error {
				_, err := scheduler.Suspend(ctx, f)
				return err
			})
			requireCancelled(w.t, waiter.Await(w.ctx), nil)
		}},
		"Spawn, mapped": {meet: func(w world) {
			_, err := scheduler.Map(spawn(w), func(int) (int, error) { return 0, nil }).Await(w.ctx)
			saw(w, err)
		}, want: 1},
		"Spawn, mapped, nobody": {meet: func(w world) {
			scheduler.Map(spawn(w), func(int) (int, error) { return 0, nil })
		}},
		"Spawn, caught": {meet: func(w world) {
			_, err := spawn(w).Catch(func(err error) (int, error) { saw(w, err); return 0, nil }).Await(w.ctx)
			require.NoError(w.t, err)
		}, want: 1},
		"Spawn, mapped and the mapped one cancelled": {meet: func(w world) {
			scheduler.Map(spawn(w), func(int) (int, error) { return 0, nil }).Cancel(nil)
		}},
		"Spawn, AwaitAll": {meet: func(w world) {
			_, err := scheduler.AwaitAll(w.ctx, spawn(w), spawn(w))
			saw(w, err)
		}, want: 1},
		"Spawn, AwaitFirst": {meet: func(w world) {
			_, err := scheduler.AwaitFirst(w.ctx, spawn(w), scheduler.Completed(1))
			require.NoError(w.t, err)
		}, none: true},
		"Spawn, AwaitFirst, cancelled meanwhile": {meet: func(w world) {
			f := spawn(w)
			never, _ := scheduler.NewFuture[int](w.ctx)
			waiter := scheduler.Go(w.ctx, func(ctx context.Context) error {
				_, err := scheduler.AwaitFirst(ctx, f, never)
				return err
			})
			require.NoError(w.t, scheduler.Sleep(w.ctx, time.Minute))
			require.True(w.t, f.Done())
			waiter.Cancel(nil)
			requireCancelled(w.t, waiter.Await(w.ctx), nil)
		}},
		"Spawn, awaited from another goroutine": {meet: func(w world) {
			f := spawn(w)
			elsewhere := scheduler.Offload(w.ctx, func(context.Context) (int, error) { return f.Await(context.Background()) })
			_, err := elsewhere.Await(w.ctx)
			saw(w, err)
		}, want: 1},
		"Spawn that returns context.Canceled by itself": {meet: func(w world) {
			scheduler.Spawn(w.ctx, func(context.Context) (int, error) {
				return 0, fmt.Errorf("%w %w", context.Canceled, errBoom)
			}, scheduler.In(w.sc))
		}},
		"Go that returns context.Canceled by itself": {meet: func(w world) {
			scheduler.Go(w.ctx, func(context.Context) error {
				return fmt.Errorf("%w %w", context.Canceled, errBoom)
			}, scheduler.In(w.sc))
		}},
		"Go, cancelled": {meet: func(w world) {
			c := scheduler.Go(w.ctx, fails, scheduler.In(w.sc))
			yields(w.ctx, 1)
			c.Cancel(errBoom)
		}, none: true},
		"Spawn, cancelled": {meet: func(w world) {
			f := spawn(w)
			yields(w.ctx, 1)
			f.Cancel(errBoom)
		}, none: true},
		"Spawn, cancelled, and its own error all the same": {meet: func(w world) {
			f := scheduler.Spawn(w.ctx, func(ctx context.Context) (int, error) {
				_ = forever(ctx)
				return 0, errBoom
			}, scheduler.In(w.sc))
			yields(w.ctx, 1)
			f.Cancel(nil)
		}},
		"a future that fails": {meet: func(w world) {
			scheduler.Go(w.ctx, func(ctx context.Context) error {
				_, r := scheduler.NewFuture[int](ctx)
				return r.Fail(errBoom)
			}, scheduler.In(w.sc))
		}},
		"a future that is cancelled": {meet: func(w world) {
			scheduler.Go(w.ctx, func(ctx context.Context) error {
				f, _ := scheduler.NewFuture[int](ctx)
				f.Cancel(errBoom)
				return nil
			}, scheduler.In(w.sc))
		}, none: true},
		"an offload that fails": {meet: func(w world) {
			scheduler.Go(w.ctx, func(ctx context.Context) error {
				scheduler.Offload(ctx, func(context.Context) (int, error) { return 0, errBoom })
				return nil
			}, scheduler.In(w.sc))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			synctest.Test(t, func(t *testing.T) {
				handled, told := 0, 0
				var result error
				main := func(ctx context.Context, withHandler bool) error {
					sc := scheduler.NewScope(ctx)
					if withHandler {
						sc.OnError(func(_ *scheduler.Coroutine, err error) {
							require.ErrorIs(t, err, errBoom)
							handled++
						})
					}
					tc.meet(world{ctx, &told, sc, t})
					if !withHandler { // or it would be its shutdown that is told of
						return nil
					}
					err := sc.AwaitCompletion(ctx)
					sc.Close()
					return err
				}
				// With a handler.
				result = scheduler.Run(t.Context(), func(ctx context.Context) error { return main(ctx, true) }, silent())
				require.NoError(t, result)
				require.Equal(t, tc.want, told)
				want := 1
				if tc.want > 0 || tc.none {
					want = 0
				}
				require.Equal(t, want, handled, "by the handler")

				// Without one: by Run.
				told = 0
				result = scheduler.Run(t.Context(), func(ctx context.Context) error { return main(ctx, false) }, silent())
				if want == 0 {
					require.NoError(t, result)
					require.Equal(t, tc.want, told)
				} else {
					require.ErrorIs(t, result, errBoom)
					var all *scheduler.CompositeError
					if errors.As(result, &all) {
						require.Len(t, all.Errs, 1)
					}
				}
			})
		})
	}
}

func TestUnhandledFailureOfGoShutsDownAtOnce(t *testing.T) {
	clean(t)
	var other, main error
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error { other = forever(ctx); return other })
		scheduler.Go(ctx, func(ctx context.Context) error { return errBoom })
		main = forever(ctx)
		return main
	}, scheduler.InOrder())
	require.Equal(t, &scheduler.CompositeError{Errs: []error{errBoom}}, err)
	for _, err := range []error{main, other} {
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, scheduler.ErrShutdown)
		require.ErrorIs(t, err, errBoom, "the reason")
	}
}

func TestFailuresOfFuturesShutNothingDown(t *testing.T) {
	clean(t)
	late := false
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, errBoom })
		scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, errors.New("second") })
		err := scheduler.Sleep(ctx, time.Second)
		late = true
		return err
	}, virtual(), scheduler.InOrder())
	require.True(t, late)
	require.Equal(t, &scheduler.CompositeError{Errs: []error{errBoom, errors.New("second")}}, err, "in the order of their failing")
}

func TestFailuresGoUpToTheNearestHandler(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		root := scheduler.Current(ctx).Scope()
		outer := scheduler.NewScope(ctx, scheduler.ScopeName("outer"))
		middle := outer.NewChild(scheduler.ScopeName("middle"))
		inner := middle.NewChild(scheduler.ScopeName("inner"))
		fail := func(sc *scheduler.Scope) *scheduler.Coroutine {
			c := scheduler.Go(ctx, func(context.Context) error { return errBoom }, scheduler.In(sc))
			yields(ctx, 1)
			return c
		}
		note := func(who string) func(*scheduler.Scope, *scheduler.Coroutine, error) {
			return func(sc *scheduler.Scope, c *scheduler.Coroutine, err error) {
				require.Equal(t, errBoom, err)
				require.Equal(t, scheduler.Finished, c.State())
				require.Same(t, sc, c.Scope())
				got = append(got, who+" of "+sc.Name())
			}
		}
		expect := func(want ...string) {
			t.Helper()
			require.Equal(t, want, got)
			got = nil
		}
		root.OnChildError(note("root"))
		fail(inner)
		expect("root of inner")
		outer.OnChildError(note("outer"))
		fail(inner)
		fail(middle)
		fail(outer) // its own child-error handler is for what is below it
		expect("outer of inner", "outer of middle", "root of outer")
		inner.OnError(func(c *scheduler.Coroutine, err error) { note("inner itself")(inner, c, err) })
		fail(inner)
		fail(middle)
		expect("inner itself of inner", "outer of middle")
		inner.OnError(nil)
		outer.OnChildError(nil)
		fail(inner)
		expect("root of inner")
		return nil
	})
}

func TestPanicInAHandlerGoesToTheNext(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		outer := scheduler.NewScope(ctx)
		inner := outer.NewChild()
		var got error
		inner.OnError(func(*scheduler.Coroutine, error) { panic("inner handler") })
		outer.OnChildError(func(_ *scheduler.Scope, _ *scheduler.Coroutine, err error) { got = err })
		scheduler.Go(ctx, func(context.Context) error { return errBoom }, scheduler.In(inner))
		yields(ctx, 1)
		require.ErrorIs(t, got, errBoom)
		require.ErrorContains(t, got, "inner handler")

		outer.OnChildError(func(*scheduler.Scope, *scheduler.Coroutine, error) { panic("outer handler") })
		scheduler.Go(ctx, func(context.Context) error { return errBoom }, scheduler.In(inner))
		return scheduler.AwaitShutdown(ctx)
	}, silent())
	require.ErrorIs(t, err, errBoom)
	require.ErrorContains(t, err, "inner handler")
	require.ErrorContains(t, err, "outer handler")
}

// A callback that calls Goexit, as a failing require does, ends at most the
// coroutine on whose stack it runs; nothing else is lost by it.
func TestGoexitInACallback(t *testing.T) {
	for name, provoke := range map[string]func(ctx context.Context, sc *scheduler.Scope){
		"OnError": func(ctx context.Context, sc *scheduler.Scope) {
			sc.OnError(func(*scheduler.Coroutine, error) { runtime.Goexit() })
			scheduler.Go(ctx, func(context.Context) error { return errBoom }, scheduler.In(sc))
		},
		"Finally of a coroutine": func(ctx context.Context, sc *scheduler.Scope) {
			c := scheduler.Go(ctx, func(context.Context) error { return nil }, scheduler.In(sc))
			c.Finally(func(*scheduler.Coroutine) { runtime.Goexit() })
			c.Finally(func(*scheduler.Coroutine) { runtime.Goexit() })
		},
		"Subscribe to a coroutine": func(ctx context.Context, sc *scheduler.Scope) {
			c := scheduler.Go(ctx, func(context.Context) error { return errBoom }, scheduler.In(sc))
			c.Subscribe(func(error) { runtime.Goexit() })
			c.Subscribe(func(error) { runtime.Goexit() })
		},
		"Subscribe to its future": func(ctx context.Context, sc *scheduler.Scope) {
			f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 1, nil }, scheduler.In(sc))
			f.Subscribe(func(error) { runtime.Goexit() })
		},
		"Finish handler": func(ctx context.Context, sc *scheduler.Scope) {
			c := scheduler.Go(ctx, func(context.Context) error { return nil }, scheduler.In(sc))
			_ = c.OnSwitch(&scheduler.SwitchHandler{Fn: func(_ *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
				if e == scheduler.Finish {
					runtime.Goexit()
				}
				return true
			}})
		},
		"Enter handler": func(ctx context.Context, sc *scheduler.Scope) {
			c := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 1, nil }, scheduler.In(sc), func(c *scheduler.Coroutine) {
				_ = c.OnSwitch(&scheduler.SwitchHandler{Fn: func(_ *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
					if e == scheduler.Enter {
						runtime.Goexit()
					}
					return true
				}})
			})
			c.Ignore()
		},
		"Finally of the scope": func(ctx context.Context, sc *scheduler.Scope) {
			sc.Finally(func(*scheduler.Scope) { runtime.Goexit() })
			scheduler.Go(ctx, func(context.Context) error { sc.Close(); return nil }, scheduler.In(sc))
		},
		"a post": func(ctx context.Context, sc *scheduler.Scope) {
			scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
				s := scheduler.Current(ctx).Scheduler()
				_ = s.Post(func() { runtime.Goexit() })
				return 1, forever(ctx)
			}, scheduler.In(sc)).Ignore()
		},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			var waited, ran bool
			err := scheduler.Run(t.Context(), func(ctx context.Context) error {
				sc := scheduler.NewScope(ctx)
				provoke(ctx, sc)
				after := scheduler.Go(ctx, func(context.Context) error { ran = true; return nil })
				done := make(map[string]bool)
				for _, who := range []string{"a", "b"} {
					scheduler.Go(ctx, func(ctx context.Context) error {
						err := sc.AwaitCompletion(ctx)
						done[who] = true
						return err
					})
				}
				require.NoError(t, after.Await(ctx))
				require.NoError(t, sc.AwaitCompletion(ctx))
				waited = true
				yields(ctx, 3)
				require.Len(t, done, 2)
				return nil
			}, silent(), virtual(), scheduler.InOrder())
			require.NoError(t, err)
			require.True(t, waited)
			require.True(t, ran)
		})
	}
}

func TestPanicInASubscriberIsUnhandled(t *testing.T) {
	clean(t)
	var told []string
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		sc.OnError(func(_ *scheduler.Coroutine, err error) { told = append(told, err.Error()) })
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			f, r := scheduler.NewFuture[int](ctx)
			f.Subscribe(func(error) { panic("of the future") })
			f.Subscribe(func(error) { told = append(told, "second") })
			require.NoError(t, r.Complete(1))
			return nil
		}, scheduler.In(sc))
		c.Subscribe(func(error) { panic("of the coroutine") })
		return c.Await(ctx)
	}, silent())
	require.NoError(t, err)
	require.Equal(t, []string{"scheduler: panic: of the future", "second", "scheduler: panic: of the coroutine"}, told)
}

func ExampleScope_OnError() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		sc.OnError(func(c *scheduler.Coroutine, err error) { fmt.Println(c.Name(), "failed:", err) })
		scheduler.Go(ctx, func(context.Context) error { return errors.New("no luck") }, scheduler.In(sc), scheduler.Named("worker"))
		return sc.AwaitCompletion(ctx)
	})
	fmt.Println(err)
	// Output:
	// worker failed: no luck
	// <nil>
}

// A failure that nobody takes shuts down, and Run returns it with those of the clean-up.
func ExampleCompositeError() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			fmt.Println(scheduler.AwaitShutdown(ctx))
			return errors.New("cannot remove the lock file")
		})
		scheduler.Go(ctx, func(context.Context) error { return errors.New("disk full") })
		return nil
	})
	var all *scheduler.CompositeError
	if errors.As(err, &all) {
		for i, err := range all.Errs {
			fmt.Println(i, err)
		}
	}
	// Output:
	// scheduler: cancelled: scheduler: shutdown: disk full
	// 0 disk full
	// 1 cannot remove the lock file
}

// The failures of the scopes below go to the nearest handler above them.
func ExampleScope_OnChildError() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		server := scheduler.NewScope(ctx)
		server.OnChildError(func(where *scheduler.Scope, c *scheduler.Coroutine, err error) {
			fmt.Printf("%s of %v failed: %v\n", c.Name(), where, err)
		})
		request := server.NewChild(scheduler.ScopeName("request 7"))
		scheduler.Go(ctx, func(context.Context) error { return errors.New("no luck") }, scheduler.In(request), scheduler.Named("query"))
		return server.AwaitCompletion(ctx)
	})
	fmt.Println(err)
	// Output:
	// query of scope "request 7" failed: no luck
	// <nil>
}
