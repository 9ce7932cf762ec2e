package scheduler_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// tracer is a handler that notes what it is called with, and is kept.
func tracer(name string, into *[]string) *scheduler.SwitchHandler {
	return &scheduler.SwitchHandler{Fn: func(_ *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
		*into = append(*into, fmt.Sprint(name, " ", e))
		return true
	}}
}

// with adds h at the spawn.
func with(h *scheduler.SwitchHandler) scheduler.SpawnOption {
	return func(c *scheduler.Coroutine) {
		if err := c.OnSwitch(h); err != nil {
			panic(err)
		}
	}
}

func TestHandlersAreCalledAtTheSwitchesOfTheirCoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			got = append(got, "body")
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
			got = append(got, "end")
			return nil
		}, with(tracer("a", &got)), with(tracer("b", &got)))
		other := scheduler.Go(ctx, func(context.Context) error { got = append(got, "other"); return nil })
		require.NoError(t, c.Await(ctx))
		require.NoError(t, other.Await(ctx))
		require.Equal(t, []string{
			"a enter", "b enter", "body",
			"a leave", "b leave", "other", "a enter", "b enter", "end",
			"a finish", "b finish",
		}, got)
		return nil
	}, scheduler.InOrder())
}

// They are told which coroutine, and see it as what it is at that moment.
func TestHandlersSeeTheirCoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		states := map[scheduler.SwitchEvent]scheduler.State{}
		var saw *scheduler.Coroutine
		c := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Sleep(ctx, 1) },
			with(&scheduler.SwitchHandler{Fn: func(c *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
				saw, states[e] = c, c.State()
				return true
			}}))
		require.NoError(t, c.Await(ctx))
		require.Same(t, c, saw)
		require.Equal(t, map[scheduler.SwitchEvent]scheduler.State{
			scheduler.Enter: scheduler.Running, scheduler.Leave: scheduler.Suspended, scheduler.Finish: scheduler.Finished,
		}, states)
		return nil
	})
}

func TestHandlersStayWhileTheyReturnTrue(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		calls := 0
		once := &scheduler.SwitchHandler{Fn: func(_ *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
			calls++
			return calls < 3
		}}
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			for range 5 {
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
			return nil
		}, with(tracer("before", &got)), with(once), with(tracer("after", &got)))
		require.NoError(t, c.Await(ctx))
		require.Equal(t, 3, calls)
		require.Len(t, got, 2*12, "the others are not touched by it")
		return nil
	})
}

func TestAddingAndRemovingHandlers(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		h := tracer("h", &got)
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			require.NoError(t, scheduler.Yield(ctx))
			self := scheduler.Current(ctx)
			require.NoError(t, self.OffSwitch(h))
			require.NoError(t, self.OffSwitch(h), "one that is not there is left alone")
			require.NoError(t, scheduler.Yield(ctx))
			return self.OnSwitch(h)
		}, with(h), with(h))
		require.NoError(t, c.Await(ctx))
		require.Equal(t, []string{"h enter", "h leave", "h enter", "h finish"}, got, "adding it again does nothing")
		require.Error(t, c.OnSwitch(nil))
		require.Error(t, c.OnSwitch(&scheduler.SwitchHandler{}))
		require.NoError(t, scheduler.Current(ctx).OffSwitch(h))
		return nil
	})
}

func TestAddingAndRemovingWithinAHandlerIsAnError(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var errs []error
		other := &scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool { return true }}
		var h *scheduler.SwitchHandler
		h = &scheduler.SwitchHandler{Fn: func(c *scheduler.Coroutine, _ scheduler.SwitchEvent) bool {
			errs = append(errs, c.OnSwitch(other), c.OffSwitch(h))
			return true
		}}
		c := scheduler.Go(ctx, func(context.Context) error { return nil }, with(h))
		require.NoError(t, c.Await(ctx))
		require.Len(t, errs, 4)
		for _, err := range errs {
			require.ErrorContains(t, err, "from within")
		}
		return nil
	})
}

// A handler may spawn, and cannot suspend.
func TestWhatAHandlerMayDo(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var spawned []*scheduler.Coroutine
		var errs []error
		c := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Yield(ctx) },
			with(&scheduler.SwitchHandler{Fn: func(c *scheduler.Coroutine, _ scheduler.SwitchEvent) bool {
				spawned = append(spawned, scheduler.Go(c, func(context.Context) error { return nil }))
				errs = append(errs, scheduler.Yield(c), scheduler.Sleep(c, 1))
				return true
			}}))
		require.NoError(t, c.Await(ctx))
		require.Len(t, spawned, 4)
		for _, child := range spawned {
			require.NoError(t, child.Await(ctx))
		}
		for _, err := range errs {
			require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		}
		return nil
	})
}

// A handler may wake and cancel its own coroutine at its Leave.
func TestAHandlerThatWakesItsCoroutine(t *testing.T) {
	run(t, func(ctx context.Context) error {
		body := func(ctx context.Context) error {
			_, err := scheduler.Suspend(ctx)
			return err
		}
		at := func(what func(c *scheduler.Coroutine)) scheduler.SpawnOption {
			return with(&scheduler.SwitchHandler{Fn: func(c *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
				if e == scheduler.Leave {
					what(c)
				}
				return true
			}})
		}
		woken := scheduler.Go(ctx, body, at(func(c *scheduler.Coroutine) { require.NoError(t, c.Resume(nil)) }))
		require.NoError(t, woken.Await(ctx))
		cancelled := scheduler.Go(ctx, body, at(func(c *scheduler.Coroutine) { c.Cancel(errBoom) }))
		requireCancelled(t, cancelled.Await(ctx), errBoom)
		return nil
	})
}

// A panic in a handler is an unhandled failure and removes it; the coroutine goes on.
func TestAPanicInAHandler(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		var told []error
		sc.OnError(func(_ *scheduler.Coroutine, err error) { told = append(told, err) })
		var got []string
		c := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Yield(ctx) }, scheduler.In(sc),
			with(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool { panic(errBoom) }}),
			with(tracer("other", &got)))
		require.NoError(t, c.Await(ctx))
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], errBoom)
		require.Len(t, got, 4)
		return nil
	}, silent())
}

// One that calls Goexit ends the coroutine and is not kept; the others are.
func TestAGoexitInAHandler(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		calls := 0
		f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 1, scheduler.Yield(ctx) },
			with(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool { calls++; return false }}),
			with(tracer("before", &got)),
			with(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool { calls++; runtime.Goexit(); return true }}),
			with(tracer("after", &got)))
		_, err := f.Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrGoexit)
		require.Equal(t, []string{"before enter", "before finish", "after finish"}, got)
		require.Equal(t, 2, calls)
		return nil
	}, scheduler.InOrder())
}

// One that is dropped before it starts is given up for good all the same.
func TestFinishOfOneThatNeverStarted(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		c := scheduler.Go(ctx, func(context.Context) error { return nil }, with(tracer("h", &got)))
		c.Cancel(nil)
		require.Equal(t, []string{"h finish"}, got)
		return nil
	})
}

func TestMainStartHandlers(t *testing.T) {
	clean(t)
	var got []string
	everywhere := tracer("everywhere", &got)
	remove, err := scheduler.OnMainStart(everywhere)
	require.NoError(t, err)
	defer remove()
	_, err = scheduler.OnMainStart(everywhere)
	require.Error(t, err, "duplicates are refused")
	_, err = scheduler.OnMainStart(nil)
	require.Error(t, err)

	s := scheduler.New()
	own := tracer("own", &got)
	require.NoError(t, s.OnMainStart(own))
	require.Error(t, s.OnMainStart(own))
	require.Error(t, s.OnMainStart(&scheduler.SwitchHandler{}))
	left := 0
	require.NoError(t, s.OnMainStart(&scheduler.SwitchHandler{Fn: func(c *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
		require.Equal(t, scheduler.Enter, e)
		left++
		return false
	}}))
	require.NoError(t, s.Run(t.Context(), func(ctx context.Context) error {
		got = append(got, "main")
		require.ErrorContains(t, s.OnMainStart(tracer("late", &got)), "before Run")
		return scheduler.Go(ctx, func(context.Context) error { return nil }).Await(ctx)
	}))
	require.Equal(t, []string{
		"everywhere enter", "own enter", "main",
		"everywhere leave", "own leave", "everywhere enter", "own enter",
		"everywhere finish", "own finish",
	}, got, "of main alone")
	require.Equal(t, 1, left)

	// One that left the main coroutine has not left the registration.
	got = nil
	calls := 0
	removeOnce, err := scheduler.OnMainStart(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool {
		calls++
		return false
	}})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, scheduler.Run(t.Context(), func(context.Context) error { return nil }))
	}
	require.Equal(t, 3, calls)
	removeOnce()
	remove()
	remove()
	got = nil
	require.NoError(t, scheduler.Run(t.Context(), func(context.Context) error { return nil }))
	require.Empty(t, got)
	require.Equal(t, 3, calls)
}

func TestSwitchEventStrings(t *testing.T) {
	require.Equal(t, "enter leave finish unknown switch event", fmt.Sprint(scheduler.Enter, " ", scheduler.Leave, " ", scheduler.Finish, " ", scheduler.SwitchEvent(9)))
	require.Equal(t, "created ready running suspended finished State(9)",
		fmt.Sprint(scheduler.Created, " ", scheduler.Ready, " ", scheduler.Running, " ", scheduler.Suspended, " ", scheduler.Finished, " ", scheduler.State(9)))
}

func ExampleCoroutine_OnSwitch() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Yield(ctx) })
		return c.OnSwitch(&scheduler.SwitchHandler{Fn: func(_ *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
			fmt.Println(e)
			return true
		}})
	})
	// Output:
	// enter
	// leave
	// enter
	// finish
}

func ExampleOnMainStart() {
	remove, _ := scheduler.OnMainStart(&scheduler.SwitchHandler{Fn: func(*scheduler.Coroutine, scheduler.SwitchEvent) bool {
		fmt.Println("set up")
		return false // once for each Scheduler
	}})
	defer remove()
	for range 2 {
		_ = scheduler.Run(context.Background(), func(context.Context) error { return nil })
	}
	// Output:
	// set up
	// set up
}
