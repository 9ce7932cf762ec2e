package scheduler_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// A Goexit of a callback on the goroutine that called Run, as of a failing require,
// ends that goroutine; what it leaves is unwound all the same.
func TestGoexitOnTheGoroutineOfRun(t *testing.T) {
	for name, provoke := range map[string]func(s *scheduler.Scheduler, c *scheduler.Coroutine){
		"in a post before the start": func(s *scheduler.Scheduler, c *scheduler.Coroutine) {
			if c == nil {
				require.NoError(t, s.Post(runtime.Goexit))
			}
		},
		"in Finally of the last scope": func(_ *scheduler.Scheduler, c *scheduler.Coroutine) {
			if c != nil {
				c.Scope().Finally(func(*scheduler.Scope) { runtime.Goexit() })
				c.Scope().Finally(func(*scheduler.Scope) { runtime.Goexit() })
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			var finished, returned bool
			s := scheduler.New(silent())
			require.NoError(t, s.OnMainStart(&scheduler.SwitchHandler{Fn: func(_ *scheduler.Coroutine, e scheduler.SwitchEvent) bool {
				finished = e == scheduler.Finish
				return true
			}}))
			elsewhere(func() {
				provoke(s, nil)
				_ = s.Run(context.Background(), func(ctx context.Context) error {
					scheduler.NewScope(ctx)
					provoke(s, scheduler.Current(ctx))
					return scheduler.Yield(ctx)
				})
				returned = true
			})
			require.False(t, returned)
			require.True(t, finished, "main was ended")
			require.ErrorIs(t, s.Post(func() {}), scheduler.ErrFinished)
			require.Zero(t, s.Stats().Coroutines)
		})
	}
}

// A Goexit in one callback keeps nobody above from being told.
func TestGoexitInTheMiddleOfScopes(t *testing.T) {
	run(t, func(ctx context.Context) error {
		outer := scheduler.NewScope(ctx)
		inner := outer.NewChild().NewChild()
		var got []string
		inner.Finally(func(*scheduler.Scope) { got = append(got, "first"); runtime.Goexit() })
		inner.Finally(func(*scheduler.Scope) { got = append(got, "second") })
		outer.Finally(func(*scheduler.Scope) { got = append(got, "outer") })
		f := scheduler.Spawn(ctx, func(context.Context) (int, error) { return 1, nil }, scheduler.In(inner))
		inner.Close()
		require.NoError(t, outer.AwaitCompletion(ctx))
		outer.Close()
		require.Equal(t, []string{"first", "second", "outer"}, got)
		v, err := f.Await(ctx)
		require.Equal(t, 1, v)
		return err
	})
}
