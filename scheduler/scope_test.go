package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestScopesAreATree(t *testing.T) {
	run(t, func(ctx context.Context) error {
		root := scheduler.Current(ctx).Scope()
		a := scheduler.NewScope(ctx, scheduler.ScopeName("a"))
		b := scheduler.NewScope(ctx)
		var inner *scheduler.Scope
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			inner = scheduler.NewScope(ctx)
			return scheduler.Go(ctx, func(ctx context.Context) error {
				require.Same(t, a, scheduler.Current(ctx).Scope(), "the current scope is the spawner's")
				return nil
			}).Await(ctx)
		}, scheduler.In(a))
		require.NoError(t, c.Await(ctx))
		require.Equal(t, []*scheduler.Scope{a, b}, root.Children())
		require.Equal(t, []*scheduler.Scope{inner}, a.Children())
		require.Equal(t, "a", a.Name())
		require.Equal(t, "", b.Name())
		require.Equal(t, `scope "a"`, a.String())
		b.Close()
		require.Equal(t, []*scheduler.Scope{a}, root.Children(), "one that is closed and has nothing has ended")
		return nil
	})
}

func TestClose(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		ended := false
		c := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Second) }, scheduler.In(sc))
		sc.Finally(func(*scheduler.Scope) { ended = true })
		sc.Close()
		require.True(t, sc.Closed())
		require.False(t, sc.Cancelled())
		require.False(t, sc.Finished())
		require.False(t, ended)
		require.NoError(t, c.Await(ctx), "what runs runs on")
		require.True(t, sc.Finished())
		require.True(t, ended)
		sc.Close()
		return nil
	}, virtual())
}

// Spawning into a closed scope gives what has failed.
func TestSpawnIntoAClosedScope(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, closing := range []func(*scheduler.Scope){(*scheduler.Scope).Close, func(sc *scheduler.Scope) { sc.Cancel(nil) }, (*scheduler.Scope).Dispose} {
			sc := scheduler.NewScope(ctx)
			closing(sc)
			body := func(context.Context) error { t.Error("it ran"); return nil }
			c := scheduler.Go(ctx, body, scheduler.In(sc))
			require.Equal(t, scheduler.Finished, c.State())
			require.ErrorIs(t, c.Await(ctx), scheduler.ErrScopeClosed)
			require.False(t, c.Cancelled())
			f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, body(ctx) }, scheduler.In(sc))
			require.True(t, f.Done())
			_, err := f.Await(ctx)
			require.ErrorIs(t, err, scheduler.ErrScopeClosed)
			child := sc.NewChild()
			require.True(t, child.Closed())
			require.ErrorIs(t, scheduler.Go(ctx, body, scheduler.In(child)).Await(ctx), scheduler.ErrScopeClosed)
			told := false
			c = scheduler.Go(ctx, body, scheduler.In(sc))
			c.Finally(func(*scheduler.Coroutine) { told = true })
			require.True(t, told)
			fired, err := scheduler.Suspend(ctx, c)
			require.NotNil(t, fired)
			require.ErrorIs(t, err, scheduler.ErrScopeClosed)
		}
		return nil
	})
}

// ErrScopeClosed that nobody looks at: silent where the scope was cancelled,
// unhandled where it was closed.
func TestRefusedSpawnsThatNobodyLooksAt(t *testing.T) {
	clean(t)
	for name, tc := range map[string]struct {
		closing func(*scheduler.Scope)
		silent  bool
	}{
		"closed":    {(*scheduler.Scope).Close, false},
		"cancelled": {func(sc *scheduler.Scope) { sc.Cancel(nil) }, true},
		"disposed":  {(*scheduler.Scope).Dispose, true},
	} {
		for _, way := range []string{"Go", "Spawn"} {
			for _, handled := range []bool{false, true} {
				t.Run(fmt.Sprint(name, way, handled), func(t *testing.T) {
					told := 0
					err := scheduler.Run(t.Context(), func(ctx context.Context) error {
						sc := scheduler.NewScope(ctx)
						if handled {
							sc.OnError(func(_ *scheduler.Coroutine, err error) {
								require.ErrorIs(t, err, scheduler.ErrScopeClosed)
								told++
							})
						}
						tc.closing(sc)
						if way == "Go" {
							scheduler.Go(ctx, func(context.Context) error { return nil }, scheduler.In(sc))
						} else {
							scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, nil }, scheduler.In(sc))
						}
						return nil
					})
					switch {
					case tc.silent:
						require.NoError(t, err)
						require.Zero(t, told)
					case handled:
						require.NoError(t, err)
						require.Equal(t, 1, told)
					default:
						require.ErrorIs(t, err, scheduler.ErrScopeClosed)
					}
				})
			}
		}
	}
}

func TestAwaitCompletion(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		outer := scheduler.NewScope(ctx)
		inner := outer.NewChild()
		require.NoError(t, outer.AwaitCompletion(ctx), "of an empty one at once")
		ended := 0
		for i, sc := range []*scheduler.Scope{outer, inner, inner} {
			scheduler.Go(ctx, func(ctx context.Context) error {
				err := scheduler.Sleep(ctx, time.Duration(i+1)*time.Second)
				ended++
				return err
			}, scheduler.In(sc))
		}
		waited := 0
		for range 3 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				err := outer.AwaitCompletion(ctx)
				require.Equal(t, 3, ended)
				waited++
				return err
			})
		}
		short, cancel := scheduler.WithTimeout(ctx, time.Second/2)
		defer cancel()
		require.ErrorIs(t, outer.AwaitCompletion(short), context.DeadlineExceeded)
		require.NoError(t, outer.AwaitCompletion(ctx))
		require.Equal(t, 3, ended)
		require.True(t, outer.Finished())
		yields(ctx, 2)
		require.Equal(t, 3, waited)

		c := scheduler.Go(ctx, forever, scheduler.In(inner)) // not closed: it can be used again
		yields(ctx, 1)
		require.False(t, outer.Finished())
		outer.Cancel(errBoom)
		require.NoError(t, outer.AwaitCompletion(ctx), "of a cancelled one")
		requireCancelled(t, c.Await(ctx), errBoom)
		return nil
	}, virtual())
}

// Errors of its coroutines are not the concern of who waits for a scope.
func TestAwaitCompletionOfOneWithFailures(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		sc.OnError(func(*scheduler.Coroutine, error) {})
		scheduler.Go(ctx, func(context.Context) error { return errBoom }, scheduler.In(sc))
		return sc.AwaitCompletion(ctx)
	})
}

func TestWaitingForAScopeFromInsideIsAnError(t *testing.T) {
	run(t, func(ctx context.Context) error {
		root := scheduler.Current(ctx).Scope()
		require.ErrorContains(t, root.AwaitCompletion(ctx), "from inside")
		outer := scheduler.NewScope(ctx)
		inner := outer.NewChild()
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			require.Error(t, inner.AwaitCompletion(ctx))
			require.Error(t, outer.AwaitCompletion(ctx))
			require.Error(t, root.AwaitCompletion(ctx))
			sibling := outer.NewChild()
			return sibling.AwaitCompletion(ctx)
		}, scheduler.In(inner))
		return c.Await(ctx)
	})
}

func TestScopesBelongToTheirScheduler(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		elsewhere(func() {
			err := scheduler.Run(context.Background(), func(ctx context.Context) error {
				require.ErrorIs(t, sc.AwaitCompletion(ctx), scheduler.ErrForeignGoroutine)
				for _, misuse := range []func(){
					func() { sc.Close() },
					func() { sc.Cancel(nil) },
					func() { sc.Dispose() },
					func() { sc.DisposeSafely() },
					func() { sc.DisposeAfter(1) },
					func() { sc.NewChild() },
					func() { scheduler.Go(ctx, func(context.Context) error { return nil }, scheduler.In(sc)) },
				} {
					require.Panics(t, misuse)
				}
				return nil
			})
			require.NoError(t, err)
		})
		require.Panics(t, func() { scheduler.NewScope(context.Background()) })
		require.Panics(t, func() { scheduler.In(nil) })
		require.Panics(t, func() { sc.Finally(nil) })
		return nil
	})
}

func TestScopeFinally(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		note := func(s string) func(*scheduler.Scope) { return func(*scheduler.Scope) { got = append(got, s) } }
		outer := scheduler.NewScope(ctx)
		inner := outer.NewChild()
		outer.Finally(note("outer 1"))
		outer.Finally(note("outer 2"))
		inner.Finally(func(sc *scheduler.Scope) {
			require.Same(t, inner, sc)
			got = append(got, "inner")
			sc.Finally(note("added within"))
		})
		scheduler.Go(ctx, func(context.Context) error { got = append(got, "member"); return nil }, scheduler.In(inner))
		outer.Close()
		require.NoError(t, outer.AwaitCompletion(ctx))
		require.Equal(t, []string{"member", "inner", "added within", "outer 1", "outer 2"}, got)
		got = nil
		outer.Finally(note("at once"))
		require.Equal(t, []string{"at once"}, got)
		return nil
	})
}

// Several failing Finally functions make one composite.
func TestFailingFinallyFunctions(t *testing.T) {
	clean(t)
	second := errors.New("second")
	ran := 0
	main := func(ctx context.Context, on func(error)) error {
		sc := scheduler.NewScope(ctx)
		if on != nil {
			sc.OnError(func(c *scheduler.Coroutine, err error) {
				require.Nil(t, c)
				on(err)
			})
		}
		sc.Finally(func(*scheduler.Scope) { ran++; panic(errBoom) })
		sc.Finally(func(*scheduler.Scope) { ran++ })
		sc.Finally(func(*scheduler.Scope) { ran++; panic(second) })
		sc.Close()
		return nil
	}
	check := func(err error) {
		var composite *scheduler.CompositeError
		require.ErrorAs(t, err, &composite)
		require.Len(t, composite.Errs, 2)
		require.ErrorIs(t, composite.Errs[0], errBoom)
		require.ErrorIs(t, composite.Errs[1], second)
	}
	told := 0
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error {
		return main(ctx, func(err error) { told++; check(err) })
	}, silent()))
	require.Equal(t, 1, told)
	require.Equal(t, 3, ran)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error { return main(ctx, nil) }, silent())
	var all *scheduler.CompositeError
	require.ErrorAs(t, err, &all)
	require.Len(t, all.Errs, 1)
	check(all.Errs[0])
}

// A scope ends with its parent at the latest, and what is left with Run.
func TestScopesEndWithTheirParents(t *testing.T) {
	clean(t)
	var got []string
	note := func(s string) func(*scheduler.Scope) { return func(*scheduler.Scope) { got = append(got, s) } }
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error {
		scheduler.Current(ctx).Scope().Finally(note("root"))
		open := scheduler.NewScope(ctx)
		open.Finally(note("open"))
		open.NewChild().Finally(note("child of open"))
		return nil
	}))
	require.Equal(t, []string{"child of open", "open", "root"}, got)
}

func TestCoroutineFinally(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		c := scheduler.Go(ctx, func(context.Context) error { got = append(got, "body"); return nil })
		for _, name := range []string{"first", "second"} {
			c.Finally(func(c *scheduler.Coroutine) {
				require.Equal(t, scheduler.Finished, c.State())
				got = append(got, name)
			})
		}
		require.NoError(t, c.Await(ctx))
		c.Finally(func(*scheduler.Coroutine) { got = append(got, "at once") })
		require.Equal(t, []string{"body", "first", "second", "at once"}, got)
		require.Panics(t, func() { c.Finally(nil) })

		dropped := scheduler.Go(ctx, func(context.Context) error { return nil })
		dropped.Finally(func(c *scheduler.Coroutine) { got = append(got, "dropped") })
		dropped.Cancel(nil)
		require.Equal(t, "dropped", got[len(got)-1])
		return nil
	})
}

func TestFailureInFinallyIsUnhandled(t *testing.T) {
	clean(t)
	for _, late := range []bool{false, true} {
		err := scheduler.Run(t.Context(), func(ctx context.Context) error {
			c := scheduler.Go(ctx, func(context.Context) error { return nil })
			if late {
				require.NoError(t, c.Await(ctx))
			}
			c.Finally(func(*scheduler.Coroutine) { panic(errBoom) })
			return scheduler.AwaitShutdown(ctx)
		}, silent())
		require.ErrorIs(t, err, errBoom)
	}
}

func ExampleNewScope() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx, scheduler.ScopeName("requests"))
		sc.Finally(func(sc *scheduler.Scope) { fmt.Println(sc, "has ended") })
		for i := range 3 {
			scheduler.Go(ctx, func(context.Context) error { fmt.Println("request", i); return nil }, scheduler.In(sc))
		}
		sc.Close()
		return sc.AwaitCompletion(ctx)
	})
	fmt.Println(err)
	// Output:
	// request 0
	// request 1
	// request 2
	// scope "requests" has ended
	// <nil>
}

// What is spawned into a closed scope never runs.
func ExampleScope_Close() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scope := scheduler.NewScope(ctx)
		work := func(context.Context) (string, error) { return "done", nil }
		early := scheduler.Spawn(ctx, work, scheduler.In(scope))
		scope.Close()
		late := scheduler.Spawn(ctx, work, scheduler.In(scope))
		fmt.Println(early.Await(ctx))
		_, err := late.Await(ctx)
		fmt.Println(err)
		return nil
	})
	// Output:
	// done <nil>
	// scheduler: scope is closed
}

func ExampleScope_AwaitCompletion() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scope := scheduler.NewScope(ctx, scheduler.ScopeName("requests"))
		scope.Finally(func(sc *scheduler.Scope) { fmt.Println(sc, "has ended") })
		for n := range 3 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				return scheduler.Sleep(ctx, time.Duration(n)*time.Millisecond)
			}, scheduler.In(scope))
		}
		scope.Close()
		err := scope.AwaitCompletion(ctx)
		fmt.Println(scope.Finished(), err)
		return nil
	})
	// Output:
	// scope "requests" has ended
	// true <nil>
}
