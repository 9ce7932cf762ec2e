//go:build !race && !portable

package scheduler_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// The way from the bottom of a stack to a suspension fits the stack that a
// goroutine begins with: one that had to grow would stay at twice the size.
func TestParkedStacksHaveNotGrown(t *testing.T) {
	const fixed = "adaptivestackstart=0"
	if os.Getenv("GODEBUG") != fixed {
		// The runtime fits that stack to what other goroutines have needed, unless it is
		// told not to from the start.
		again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		again.Env = append(os.Environ(), "GODEBUG="+fixed, "TRUEASYNC_SEED=")
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	waits := map[string]func(ctx context.Context, f *scheduler.Future[int]) error{
		"Yield": func(ctx context.Context, _ *scheduler.Future[int]) error { return scheduler.Yield(ctx) },
		"Await": func(ctx context.Context, f *scheduler.Future[int]) error { _, err := f.Await(ctx); return err },
		"Suspend": func(ctx context.Context, f *scheduler.Future[int]) error {
			_, err := scheduler.Suspend(ctx, f)
			return err
		},
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			// A tick that looks at the reactor takes more of the stack that it happens to run
			// on. On a busy machine there are many of them: the best of several counts.
			best := stackOfEach(t, wait)
			for try := 1; try < 10 && best > 3<<10; try++ {
				best = min(best, stackOfEach(t, wait))
			}
			require.LessOrEqual(t, best, uint64(3<<10), "bytes of stack each")
		})
	}
}

// stackOfEach is the stack in use for each of many coroutines that wait.
func stackOfEach(t *testing.T, wait func(ctx context.Context, f *scheduler.Future[int]) error) (each uint64) {
	inLoop(t, func(ctx context.Context, _ *scheduler.Scheduler) {
		const n = 10_000
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		f, r := scheduler.NewFuture[int](ctx)
		for range n {
			scheduler.Go(ctx, func(ctx context.Context) error { return wait(ctx, f) })
		}
		require.NoError(t, scheduler.Yield(ctx))
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.NoError(t, r.Complete(1))
		each = (after.StackInuse - before.StackInuse) / n
	})
	return each
}
