package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// explode panics, under a name to be found in a stack.
func explode(v any) error { panic(v) }

// The four outcomes, and Goexit, are told apart: by Go and by Spawn, where they are
// awaited before they happen and after.
func TestOutcomesAreToldApart(t *testing.T) {
	for name, tc := range map[string]struct {
		body      func(ctx context.Context) error
		cancelled bool
		check     func(t *testing.T, err error)
	}{
		"value": {func(context.Context) error { return nil }, false, func(t *testing.T, err error) { require.NoError(t, err) }},
		"error": {func(context.Context) error { return errBoom }, false, func(t *testing.T, err error) { require.Equal(t, errBoom, err) }},
		"panic": {func(context.Context) error { return explode("bang") }, false, func(t *testing.T, err error) {
			var p *scheduler.PanicError
			require.ErrorAs(t, err, &p)
			require.Equal(t, "bang", p.Value)
			require.Contains(t, string(p.Stack), "explode", "the stack of the panic")
			require.Contains(t, err.Error(), "bang")
		}},
		"panic with an error": {func(context.Context) error { return explode(errBoom) }, false, func(t *testing.T, err error) {
			require.ErrorIs(t, err, errBoom)
		}},
		"panic with nil": {func(context.Context) error { return explode(nil) }, false, func(t *testing.T, err error) {
			var p *runtime.PanicNilError
			require.ErrorAs(t, err, &p)
		}},
		"goexit": {func(context.Context) error { runtime.Goexit(); return nil }, false, func(t *testing.T, err error) {
			require.ErrorIs(t, err, scheduler.ErrGoexit)
		}},
		"cancellation": {func(ctx context.Context) error {
			scheduler.Current(ctx).Cancel(errBoom)
			return scheduler.Yield(ctx)
		}, true, func(t *testing.T, err error) { requireCancelled(t, err, errBoom) }},
		"a cancellation that is none": {func(context.Context) error { return context.Canceled }, false, func(t *testing.T, err error) {
			require.Equal(t, context.Canceled, err)
			var e *scheduler.CancelledError
			require.False(t, errors.As(err, &e))
		}},
		"timeout": {func(ctx context.Context) error {
			ctx, cancel := scheduler.WithTimeout(ctx, 1)
			defer cancel()
			return forever(ctx)
		}, false, func(t *testing.T, err error) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.NotErrorIs(t, err, context.Canceled)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				c := scheduler.Go(ctx, tc.body)
				c.Finally(func(*scheduler.Coroutine) {}) // is no waiter
				tc.check(t, c.Await(ctx))
				tc.check(t, c.Await(ctx))
				require.Equal(t, tc.cancelled, c.Cancelled())
				require.Equal(t, scheduler.Finished, c.State())

				var early error
				f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 5, tc.body(ctx) })
				w := scheduler.Go(ctx, func(ctx context.Context) error { _, early = f.Await(ctx); return nil })
				v, err := f.Await(ctx)
				require.NoError(t, w.Await(ctx))
				tc.check(t, err)
				tc.check(t, early)
				if err == nil {
					require.Equal(t, 5, v)
				} else {
					require.Zero(t, v)
				}
				late := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 5, tc.body(ctx) })
				yields(ctx, 3)
				_, err = late.Await(ctx)
				tc.check(t, err)
				return nil
			}, virtual(), silent())
		})
	}
}

// What a Goexit or a panic unwinds is the body alone: its defers run, and may
// suspend, and the loop goes on.
func TestDefersOfAnAbnormalEndMaySuspend(t *testing.T) {
	for name, end := range map[string]func(){
		"panic":  func() { panic("x") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				cleaned := 0
				var all []*scheduler.Future[int]
				for range 20 {
					all = append(all, scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
						defer func() {
							require.NoError(t, scheduler.Sleep(ctx, 1))
							cleaned++
						}()
						require.NoError(t, scheduler.Yield(ctx))
						end()
						return 0, nil
					}))
				}
				for _, f := range all {
					_, err := f.Await(ctx)
					require.Error(t, err)
				}
				require.Equal(t, 20, cleaned)
				return nil
			}, silent())
		})
	}
}

func TestFailureOfMainShutsTheRestDown(t *testing.T) {
	for name, tc := range map[string]struct {
		end func() error
		is  error
	}{
		"error":  {func() error { return errBoom }, errBoom},
		"panic":  {func() error { panic(errBoom) }, errBoom},
		"goexit": {func() error { runtime.Goexit(); return nil }, scheduler.ErrGoexit},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			var got error
			err := scheduler.Run(t.Context(), func(ctx context.Context) error {
				scheduler.Go(ctx, func(ctx context.Context) error { got = forever(ctx); return got })
				yields(ctx, 1)
				return tc.end()
			}, silent())
			require.ErrorIs(t, err, tc.is)
			require.ErrorIs(t, got, scheduler.ErrShutdown)
			var composite *scheduler.CompositeError
			require.False(t, errors.As(err, &composite), "one failure is given as it is")
		})
	}
}

func TestFault_KT1_ATimeoutWithinIsAnError(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			inner, cancel := scheduler.WithTimeout(ctx, 10)
			defer cancel()
			return 0, forever(inner)
		})
		_, err := f.Await(ctx)
		var timeout *scheduler.TimeoutError
		require.ErrorAs(t, err, &timeout)
		require.True(t, timeout.Timeout())

		// Looked at by nobody it is not lost, as a cancellation would be.
		var told error
		sc := scheduler.NewScope(ctx)
		sc.OnError(func(_ *scheduler.Coroutine, err error) { told = err })
		scheduler.Go(ctx, func(ctx context.Context) error {
			inner, cancel := scheduler.WithTimeout(ctx, 10)
			defer cancel()
			return forever(inner)
		}, scheduler.In(sc))
		require.NoError(t, sc.AwaitCompletion(ctx))
		require.ErrorIs(t, told, context.DeadlineExceeded)
		return nil
	}, virtual())
}

// A panic is visible when it happens, also where nobody waits, and reaches whoever
// waits with the stack that it happened on.
func TestFault_EG1_PanicsAreNeverSilent(t *testing.T) {
	clean(t)
	logged := &recorder{}
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, explode("first") })
		yields(ctx, 1)
		require.True(t, f.Done())
		require.Equal(t, 1, logged.count("first"), "logged before anybody has looked")
		_, err := f.Await(ctx)
		var p *scheduler.PanicError
		require.ErrorAs(t, err, &p)
		require.Contains(t, string(p.Stack), "explode")

		scheduler.Spawn(ctx, func(context.Context) (int, error) { return 0, explode("second") }).Ignore()
		yields(ctx, 1)
		require.Equal(t, 1, logged.count("second"))
		scheduler.Go(ctx, func(context.Context) error { return explode("third") })
		return scheduler.AwaitShutdown(ctx)
	}, scheduler.WithLogger(logged.logger()))
	var p *scheduler.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, "third", p.Value)
	require.Equal(t, 1, logged.count("third"))
}

func TestErrorTexts(t *testing.T) {
	require.EqualError(t, &scheduler.CancelledError{}, "scheduler: cancelled")
	require.EqualError(t, &scheduler.CancelledError{Cause: errBoom}, "scheduler: cancelled: boom")
	require.EqualError(t, &scheduler.CompositeError{Errs: []error{errBoom}}, "boom")
	two := &scheduler.CompositeError{Errs: []error{errBoom, fmt.Errorf("a\nb")}}
	require.EqualError(t, two, "scheduler: 2 errors\n\tboom\n\ta\n\tb")
	require.ErrorIs(t, two, errBoom)
	var e interface {
		Timeout() bool
		Temporary() bool
	}
	require.ErrorAs(t, &scheduler.TimeoutError{After: 5}, &e)
	require.True(t, e.Timeout() && e.Temporary())
}

func ExampleGo() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		for _, name := range []string{"a", "b"} {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for i := range 2 {
					fmt.Println(name, i)
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return nil // Run waits for them
	})
	fmt.Println(err)
	// Output:
	// a 0
	// b 0
	// a 1
	// b 1
	// <nil>
}

func ExampleSpawn() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		answer := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 42, nil })
		v, err := answer.Await(ctx)
		fmt.Println(v, err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 42 <nil>
	// <nil>
}

func ExamplePanicError() {
	err := scheduler.Run(context.Background(), func(context.Context) error {
		panic("out of cheese")
	}, scheduler.WithLogger(nil))
	var p *scheduler.PanicError
	fmt.Println(errors.As(err, &p), err)
	// Output: true scheduler: panic: out of cheese
}
