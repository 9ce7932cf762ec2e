package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

type valueKey struct{}

// derivations is every way to derive a ctx that may end, with what ends it: by end,
// or, where that is nil, by itself after an hour.
var derivations = []struct {
	name   string
	derive func(ctx context.Context) (derived context.Context, end func())
	is     error // what the suspension under it fails with, once end was called
}{
	{"WithCancel", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancel(ctx)
		return ctx, cancel
	}, context.Canceled},
	{"WithCancelCause", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		return ctx, func() { cancel(errBoom) }
	}, errBoom},
	{"WithTimeout, cancelled", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		return ctx, cancel
	}, context.Canceled},
	{"scheduler.WithTimeout, cancelled", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := scheduler.WithTimeout(ctx, time.Hour)
		return ctx, cancel
	}, context.Canceled},
	{"WithCancel of scheduler.WithTimeout", func(ctx context.Context) (context.Context, func()) {
		ctx, _ = scheduler.WithTimeout(ctx, time.Hour)
		ctx, cancel := context.WithCancelCause(ctx)
		return ctx, func() { cancel(errBoom) }
	}, errBoom},
	{"scheduler.WithTimeout of WithCancel, below", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		ctx, _ = scheduler.WithTimeout(ctx, time.Hour)
		return ctx, func() { cancel(errBoom) }
	}, errBoom},
	{"WithValue of WithCancel", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		return context.WithValue(ctx, valueKey{}, 1), func() { cancel(errBoom) }
	}, errBoom},
	{"WithCancel of WithoutCancel", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		return ctx, func() { cancel(errBoom) }
	}, errBoom},
	{"a ctx of one's own", func(ctx context.Context) (context.Context, func()) {
		own := &ownContext{Context: ctx, done: make(chan struct{})}
		return own, sync.OnceFunc(own.end)
	}, context.Canceled},
	{"scheduler.WithTimeout three deep, the first cancelled", func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := scheduler.WithTimeout(ctx, time.Hour)
		ctx, _ = scheduler.WithTimeout(ctx, 2*time.Hour)
		ctx, _ = scheduler.WithTimeout(context.WithValue(ctx, valueKey{}, 1), 3*time.Hour)
		return ctx, cancel
	}, context.Canceled},
}

// ownContext is one that package context did not make.
type ownContext struct {
	context.Context
	mu   sync.Mutex
	done chan struct{}
	err  error
}

func (c *ownContext) Done() <-chan struct{} { return c.done }

func (c *ownContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *ownContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = context.Canceled
	close(c.done)
}

// The end of a derived ctx wakes the coroutine, from whichever goroutine it comes;
// waiting under it is no deadlock; and nothing but the waiting ends.
func TestEndOfADerivedCtx(t *testing.T) {
	enders := map[string]func(ctx context.Context, end func()){
		"by another coroutine": func(ctx context.Context, end func()) {
			scheduler.Go(ctx, func(context.Context) error { end(); return nil })
		},
		"by another goroutine":      func(_ context.Context, end func()) { go end() },
		"by a callback of the loop": func(ctx context.Context, end func()) { _ = scheduler.Current(ctx).Scheduler().Post(end) },
		"by a timer of Go":          func(_ context.Context, end func()) { time.AfterFunc(time.Millisecond, end) },
	}
	for _, d := range derivations {
		for how, ender := range enders {
			t.Run(d.name+", "+how, func(t *testing.T) {
				for _, sus := range suspensions {
					run(t, func(ctx context.Context) error {
						derived, end := d.derive(ctx)
						defer end()
						scheduler.Go(ctx, func(ctx context.Context) error { ender(ctx, end); return nil })
						err := sus.do(derived)
						require.ErrorIs(t, err, d.is, sus.name)
						require.ErrorIs(t, err, context.Canceled, sus.name)
						require.ErrorIs(t, sus.do(derived), d.is, "it is sticky")
						require.NoError(t, ctx.Err())
						return scheduler.Yield(ctx)
					})
				}
			})
		}
	}
}

// A cancellation of the coroutine ends what is derived from its ctx, at once.
func TestCancelUnderADerivedCtx(t *testing.T) {
	for _, d := range derivations {
		t.Run(d.name, func(t *testing.T) {
			if d.name == "WithCancel of WithoutCancel" || d.name == "a ctx of one's own" {
				t.Skip("it is cut off from the coroutine's end")
			}
			orders(t, func(ctx context.Context) error {
				var derivedErr, derivedCause error
				c := scheduler.Go(ctx, func(ctx context.Context) error {
					derived, end := d.derive(ctx)
					defer end()
					err := forever(derived)
					derivedErr, derivedCause = derived.Err(), context.Cause(derived)
					return err
				})
				yields(ctx, 2)
				c.Cancel(errors.New("of the coroutine"))
				require.Equal(t, scheduler.Ready, c.State(), "it does not take the loop to notice")
				err := c.Await(ctx)
				require.ErrorIs(t, err, context.Canceled)
				require.ErrorContains(t, err, "of the coroutine")
				require.Equal(t, context.Canceled, derivedErr)
				require.EqualError(t, derivedCause, "of the coroutine")
				require.True(t, c.Cancelled())
				return nil
			})
		})
	}
}

// It is the waiting alone that a waiter's ctx ends.
func TestEndOfAWaitersCtxTouchesNothingElse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		f, r := scheduler.NewFuture[int](ctx)
		c := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, time.Minute) })
		other := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return f.Await(ctx) })
		short, cancel := scheduler.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := f.Await(short)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, c.Await(short), context.DeadlineExceeded)
		require.False(t, f.Done())
		require.False(t, c.CancelRequested())
		require.NoError(t, r.Complete(5))
		v, err := other.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 5, v)
		return c.Await(ctx)
	}, virtual())
}

func TestWithValueAlone(t *testing.T) {
	clean(t)
	err := scheduler.Run(t.Context(), func(ctx context.Context) error {
		valued := context.WithValue(ctx, valueKey{}, 7)
		require.Equal(t, scheduler.Current(ctx), scheduler.Current(valued))
		require.NoError(t, scheduler.Yield(valued))
		require.NoError(t, scheduler.Sleep(valued, 1))
		c := scheduler.Go(valued, func(ctx context.Context) error {
			require.Equal(t, 7, ctx.Value(valueKey{}))
			return forever(context.WithValue(ctx, valueKey{}, 8))
		})
		yields(ctx, 2)
		c.Cancel(errBoom)
		requireCancelled(t, c.Await(ctx), errBoom)
		_, err := scheduler.Suspend(valued, &flag{}) // holds no loop
		return err
	})
	var deadlock *scheduler.DeadlockError
	require.ErrorAs(t, err, &deadlock)
}

// What a coroutine is spawned with is what it gets: from a bare ctx its scope and
// values, so that it outlives its parent.
func TestSpawnFromABareCtx(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var child *scheduler.Coroutine
		parent := scheduler.Go(context.WithValue(ctx, valueKey{}, 3), func(ctx context.Context) error {
			child = scheduler.Go(ctx, func(ctx context.Context) error {
				require.Equal(t, 3, ctx.Value(valueKey{}))
				return scheduler.Sleep(ctx, time.Minute)
			})
			return forever(ctx)
		})
		yields(ctx, 2)
		require.Equal(t, parent.Scope(), child.Scope())
		parent.Cancel(errBoom)
		requireCancelled(t, parent.Await(ctx), errBoom)
		require.False(t, child.CancelRequested())
		return child.Await(ctx)
	}, virtual())
}

// From a derived ctx it gets that ctx's end as well, before it starts and after.
func TestSpawnFromADerivedCtx(t *testing.T) {
	for _, d := range derivations {
		t.Run(d.name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				derived, end := d.derive(ctx)
				defer end()
				var got error
				c := scheduler.Go(derived, func(ctx context.Context) error {
					require.Equal(t, ctx, context.Context(scheduler.Current(ctx)))
					got = forever(ctx)
					return got
				})
				yields(ctx, 2)
				require.Equal(t, scheduler.Suspended, c.State())
				require.NoError(t, c.Err())
				end()
				require.Equal(t, context.Canceled, c.Err(), "its ctx has ended with the other, at once")
				require.True(t, c.CancelRequested())
				err := c.Await(ctx)
				require.ErrorIs(t, err, d.is)
				require.ErrorIs(t, err, context.Canceled)
				require.Equal(t, got, err)
				require.True(t, c.Cancelled())

				unstarted := scheduler.Go(derived, func(context.Context) error { return nil })
				err = unstarted.Await(ctx)
				require.True(t, unstarted.Cancelled() || err == nil)
				return nil
			})
		})
	}
}

// A coroutine that waits under a ctx that may still end is no deadlock, also where
// that is the one it was spawned with.
func TestWaitingUnderALinkIsNoDeadlock(t *testing.T) {
	run(t, func(ctx context.Context) error {
		derived, cancel := context.WithCancelCause(ctx)
		never, _ := scheduler.NewFuture[int](ctx)
		c := scheduler.Go(derived, func(ctx context.Context) error {
			_, err := never.Await(ctx)
			return err
		})
		var lock scheduler.Mutex
		require.True(t, lock.TryLock())
		other := scheduler.Go(derived, func(ctx context.Context) error { return lock.Lock(context.WithValue(ctx, valueKey{}, 1)) })
		time.AfterFunc(time.Millisecond, func() { cancel(errBoom) })
		requireCancelled(t, c.Await(ctx), errBoom)
		requireCancelled(t, other.Await(ctx), errBoom)
		return nil
	})
}

// A timeout of the ctx that it was spawned with is a cancellation to the coroutine;
// its ctx tells which.
func TestSpawnFromACtxWithATimeout(t *testing.T) {
	for name, derive := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"scheduler": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return scheduler.WithTimeout(ctx, time.Millisecond)
		},
		"context": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				short, cancel := derive(ctx)
				defer cancel()
				c := scheduler.Go(short, forever)
				at, ok := c.Deadline()
				want, _ := short.Deadline()
				require.True(t, ok && at.Equal(want))
				err := c.Await(ctx)
				require.ErrorIs(t, err, context.Canceled)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.True(t, c.Cancelled())
				require.Equal(t, context.DeadlineExceeded, c.Err())
				return nil
			})
		})
	}
}

// A ctx ends once: what it said first stays, whatever ends later.
func TestTheEndOfACoroutinesCtxStays(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for name, asked := range map[string]bool{"asked for Done before": true, "not asked": false} {
			short, cancel := scheduler.WithTimeout(ctx, time.Minute)
			defer cancel()
			c := scheduler.Go(short, func(ctx context.Context) error {
				if asked {
					_ = ctx.Done()
				}
				err := forever(ctx)
				require.Equal(t, context.Canceled, ctx.Err(), name)
				require.NoError(t, scheduler.Sleep(context.WithoutCancel(ctx), time.Hour)) // the timeout passes
				require.Equal(t, context.Canceled, ctx.Err(), name)
				require.Equal(t, errBoom, context.Cause(ctx), name)
				<-ctx.Done()
				return err
			})
			yields(ctx, 1)
			c.Cancel(errBoom)
			requireCancelled(t, c.Await(ctx), errBoom)

			short, cancel = scheduler.WithTimeout(ctx, time.Minute)
			defer cancel()
			c = scheduler.Go(short, func(ctx context.Context) error {
				if asked {
					_ = ctx.Done()
				}
				err := forever(ctx)
				require.Equal(t, context.DeadlineExceeded, ctx.Err(), name)
				scheduler.Current(ctx).Cancel(errBoom)
				require.Equal(t, context.DeadlineExceeded, ctx.Err(), name)
				require.ErrorIs(t, context.Cause(ctx), context.DeadlineExceeded, name)
				<-ctx.Done()
				return err
			})
			require.ErrorIs(t, c.Await(ctx), context.DeadlineExceeded)
		}
		return nil
	}, virtual())
}

func TestACoroutineIsAContext(t *testing.T) {
	clean(t)
	deadline := time.Now().Add(time.Hour)
	base, cancel := context.WithDeadline(context.WithValue(t.Context(), valueKey{}, "run's"), deadline)
	defer cancel()
	err := scheduler.Run(base, func(ctx context.Context) error {
		require.Equal(t, "run's", ctx.Value(valueKey{}))
		require.Nil(t, ctx.Value("other"))
		at, ok := ctx.Deadline()
		require.True(t, ok && at.Equal(deadline))
		require.NoError(t, ctx.Err())
		select {
		case <-ctx.Done():
			t.Error("it has not ended")
		default:
		}
		c := scheduler.Current(ctx)
		require.Equal(t, ctx, context.Context(c))
		derived, stop := context.WithCancel(ctx)
		defer stop()
		require.Same(t, c, scheduler.Current(context.WithValue(derived, valueKey{}, 1)))
		require.Nil(t, scheduler.Current(context.Background()))
		var none context.Context
		require.Nil(t, scheduler.Current(none))
		require.Contains(t, fmt.Sprint(derived), "coroutine")

		child := scheduler.Go(ctx, func(ctx context.Context) error { return nil })
		done := child.Done()
		require.NoError(t, child.Await(ctx))
		select {
		case <-done:
			t.Error("it closes with a cancellation, not with the end")
		default:
		}
		return nil
	})
	require.NoError(t, err)
}

// Other goroutines use a coroutine's ctx and what is derived from it, while it is
// cancelled.
func TestContextsAreSafeFromAnyGoroutine(t *testing.T) {
	for range 50 {
		run(t, func(ctx context.Context) error {
			c := scheduler.Go(ctx, scheduler.AwaitShutdown)
			timeout, stop := scheduler.WithTimeout(c, time.Hour)
			defer stop()
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					parent := []context.Context{c, timeout}[i%2]
					derived, cancel := context.WithCancel(parent)
					defer cancel()
					_, _ = parent.Deadline()
					_ = parent.Value(valueKey{})
					_ = parent.Err()
					stopped := make(chan struct{})
					context.AfterFunc(parent, func() { close(stopped) })
					<-parent.Done()
					<-derived.Done()
					<-stopped
					if parent.Err() != context.Canceled || context.Cause(derived) != errBoom {
						t.Errorf("%v, %v", parent.Err(), context.Cause(derived))
					}
				})
			}
			yields(ctx, 1)
			c.Cancel(errBoom)
			all.Wait()
			requireCancelled(t, c.Await(ctx), errBoom)
			return nil
		})
	}
}

func TestCurrentRunning(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Current(ctx)
		s := c.Scheduler()
		require.Same(t, c, s.Running())
		require.True(t, s.OnLoop())
		elsewhere(func() {
			require.Nil(t, s.Running())
			require.False(t, s.OnLoop())
		})
		var within *scheduler.Coroutine
		onLoop := false
		require.NoError(t, s.Post(func() { within, onLoop = s.Running(), s.OnLoop() }))
		require.NoError(t, scheduler.Sleep(ctx, 1))
		require.Nil(t, within)
		require.True(t, onLoop)
		return nil
	})
}

func ExampleCurrent() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error {
			fmt.Println(scheduler.Current(ctx).Name(), scheduler.Current(context.Background()))
			return nil
		}, scheduler.Named("worker"))
		return nil
	})
	// Output: worker <nil>
}

// What suspends and gets a ctx that it cannot suspend under fails, and does no harm.
func Example_foreignGoroutine() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		fmt.Println(scheduler.Yield(context.Background()))
		_, err := scheduler.Offload(ctx, func(context.Context) (struct{}, error) {
			return struct{}{}, scheduler.Yield(ctx) // the coroutine's ctx, on another goroutine
		}).Await(ctx)
		fmt.Println(errors.Is(err, scheduler.ErrForeignGoroutine), err)
		f, r := scheduler.NewExternal[error](ctx)
		if err := scheduler.Current(ctx).Scheduler().Post(func() { _ = r.Complete(scheduler.Yield(ctx)) }); err != nil {
			return err
		}
		refused, err := f.Await(ctx)
		fmt.Println("in a callback:", errors.Is(refused, scheduler.ErrNotCoroutine))
		return err
	})
	fmt.Println(err)
	// Output:
	// scheduler: ctx belongs to no running coroutine
	// true scheduler: a coroutine's ctx was used from another goroutine
	// in a callback: true
	// <nil>
}
