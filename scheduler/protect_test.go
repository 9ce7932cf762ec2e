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

// cancelledIn runs body in a coroutine that is cancelled with errBoom while it
// sleeps first, and returns how that ended.
func cancelledIn(ctx context.Context, body func(ctx context.Context) error) (*scheduler.Coroutine, error) {
	c := scheduler.Go(ctx, body)
	_ = scheduler.Sleep(ctx, 30*time.Second)
	c.Cancel(errBoom)
	return c, c.Await(ctx)
}

func TestProtectHoldsTheCancellationUp(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var within, after error
		c, err := cancelledIn(ctx, func(ctx context.Context) error {
			err := scheduler.Protect(ctx, func(inner context.Context) error {
				require.NoError(t, scheduler.Sleep(inner, time.Minute)) // the cancellation comes here
				require.True(t, scheduler.Current(ctx).CancelRequested())
				require.NoError(t, ctx.Err(), "until Protect returns the outer ctx has not ended")
				require.NoError(t, inner.Err())
				require.Nil(t, inner.Done())
				within = scheduler.Sleep(ctx, time.Minute)
				return nil
			})
			after = scheduler.Yield(ctx)
			require.Equal(t, context.Canceled, ctx.Err())
			return err
		})
		require.NoError(t, within)
		requireCancelled(t, after, errBoom)
		requireCancelled(t, err, errBoom)
		require.True(t, c.Cancelled())
		return nil
	}, virtual())
}

func TestProtectNests(t *testing.T) {
	run(t, func(ctx context.Context) error {
		_, err := cancelledIn(ctx, func(ctx context.Context) error {
			var second, third error
			first := scheduler.Protect(ctx, func(ctx context.Context) error {
				second = scheduler.Protect(ctx, func(ctx context.Context) error {
					third = scheduler.Protect(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Minute) })
					return scheduler.Sleep(ctx, time.Minute)
				})
				return scheduler.Sleep(ctx, time.Minute)
			})
			require.NoError(t, third)
			require.NoError(t, second, "it is delivered when the outermost ends")
			requireCancelled(t, first, errBoom)
			return first
		})
		requireCancelled(t, err, errBoom)
		return nil
	}, virtual())
}

func TestProtectReturnsWhatFnReturns(t *testing.T) {
	run(t, func(ctx context.Context) error {
		own := errors.New("own")
		_, err := cancelledIn(ctx, func(ctx context.Context) error {
			err := scheduler.Protect(ctx, func(ctx context.Context) error {
				require.NoError(t, scheduler.Sleep(ctx, time.Minute))
				return own
			})
			requireCancelled(t, scheduler.Yield(ctx), errBoom)
			return err
		})
		require.Equal(t, own, err)
		require.NoError(t, scheduler.Protect(ctx, func(context.Context) error { return nil }))
		require.Equal(t, own, scheduler.Protect(ctx, func(context.Context) error { return own }))
		return nil
	}, virtual())
}

// Under a ctx that has ended Protect is for cleaning up.
func TestProtectAfterTheCancellation(t *testing.T) {
	run(t, func(ctx context.Context) error {
		_, err := cancelledIn(ctx, func(ctx context.Context) error {
			err := forever(ctx)
			require.NoError(t, scheduler.Protect(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Minute) }))
			return err
		})
		requireCancelled(t, err, errBoom)
		return nil
	}, virtual())
}

// However fn is left, the protection ends and the cancellation is delivered.
func TestProtectIsLeftByAPanicAndAGoexit(t *testing.T) {
	for name, leave := range map[string]func(){
		"panic":  func() { panic(errBoom) },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				var after, deferred error
				var recovered any
				_, err := cancelledIn(ctx, func(ctx context.Context) error {
					defer func() { deferred = scheduler.Yield(ctx) }()
					func() {
						defer func() { recovered = recover() }()
						_ = scheduler.Protect(ctx, func(ctx context.Context) error {
							return scheduler.Protect(ctx, func(ctx context.Context) error {
								require.NoError(t, scheduler.Sleep(ctx, time.Minute))
								leave()
								return nil
							})
						})
					}()
					after = scheduler.Yield(ctx)
					return after
				})
				requireCancelled(t, deferred, errBoom)
				if name == "panic" {
					require.Equal(t, errBoom, recovered)
					requireCancelled(t, after, errBoom)
					requireCancelled(t, err, errBoom)
				} else {
					require.ErrorIs(t, err, scheduler.ErrGoexit)
				}
				return nil
			}, virtual(), silent())
		})
	}
}

// A panic between two levels ends only those it leaves.
func TestProtectNestedWithAPanicWithin(t *testing.T) {
	run(t, func(ctx context.Context) error {
		_, err := cancelledIn(ctx, func(ctx context.Context) error {
			return scheduler.Protect(ctx, func(outer context.Context) error {
				func() {
					defer func() { _ = recover() }()
					_ = scheduler.Protect(outer, func(ctx context.Context) error {
						require.NoError(t, scheduler.Sleep(ctx, time.Minute))
						panic("x")
					})
				}()
				require.NoError(t, ctx.Err())
				return scheduler.Sleep(ctx, time.Minute)
			})
		})
		requireCancelled(t, err, errBoom)
		return nil
	}, virtual())
}

func TestProtectUnderADerivedCtx(t *testing.T) {
	run(t, func(ctx context.Context) error {
		short, cancel := scheduler.WithTimeout(ctx, time.Second)
		defer cancel()
		err := scheduler.Protect(short, func(ctx context.Context) error {
			require.NoError(t, scheduler.Sleep(ctx, time.Minute))
			require.NoError(t, ctx.Err())
			return nil
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		type key struct{}
		valued := context.WithValue(ctx, key{}, 5)
		return scheduler.Protect(valued, func(ctx context.Context) error {
			require.Equal(t, 5, ctx.Value(key{}))
			require.Equal(t, scheduler.Current(valued), scheduler.Current(ctx))
			return nil
		})
	}, virtual())
}

// The first cause stays, also of those that wait for the end of a Protect.
func TestProtectKeepsTheFirstCause(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			return scheduler.Protect(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Minute) })
		})
		yields(ctx, 1)
		c.Cancel(errBoom)
		c.Cancel(errors.New("second"))
		requireCancelled(t, c.Await(ctx), errBoom)
		return nil
	}, virtual())
}

// A value that a protected body returns is its outcome; the pending cancellation
// that fn itself turns up with is one.
func TestCancelledWhileProtectedAndSuccessful(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c, err := cancelledIn(ctx, func(ctx context.Context) error {
			_ = scheduler.Protect(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Minute) })
			return nil
		})
		require.NoError(t, err)
		require.False(t, c.Cancelled())
		return nil
	}, virtual())
}

func ExampleProtect() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			return scheduler.Protect(ctx, func(ctx context.Context) error {
				fmt.Println("half of it")
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
				fmt.Println("all of it")
				return nil
			})
		})
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		c.Cancel(nil)
		fmt.Println(c.Await(ctx))
		return nil
	})
	// Output:
	// half of it
	// all of it
	// scheduler: cancelled
}
