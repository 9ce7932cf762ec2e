package taskgroup_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// goroutines are the stacks of those goroutines that have anything to do with this
// module, by number.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	all := make(map[string]string)
	for _, g := range strings.Split(string(buf), "\n\n") {
		head, _, _ := strings.Cut(g, "[")
		if strings.Contains(g, "trueasync-go/") {
			all[head] = g
		}
	}
	return all
}

// clean fails t if goroutines are left when it has ended that were not there when
// clean was called. What is ending is given time to end.
func clean(t testing.TB) {
	t.Helper()
	before := goroutines()
	t.Cleanup(func() {
		var left strings.Builder
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
			left.Reset()
			for id, stack := range goroutines() {
				if _, old := before[id]; !old {
					left.WriteString(stack)
				}
			}
			if left.Len() == 0 {
				return
			}
		}
		t.Errorf("left behind:\n%s", left.String())
	})
}

// seeds is how many permuted orders orders tries, beside the scheduler's own.
const seeds = 50

// orders runs main on a scheduler of its own, in the scheduler's own order, in a
// bubble of testing/synctest, and in permuted orders, and requires that nothing
// fails and nothing is left behind.
func orders(t *testing.T, main func(ctx context.Context)) {
	t.Helper()
	ends(t, main, func(err error) { require.NoError(t, err) })
}

// ends is orders where something is left unhandled: check is given the error of Run.
func ends(t *testing.T, main func(ctx context.Context), check func(error)) {
	t.Helper()
	clean(t)
	once := func(which string, opts ...scheduler.Option) {
		t.Helper()
		whole := false
		err := scheduler.Run(context.Background(), func(ctx context.Context) error {
			main(ctx)
			whole = true
			return nil
		}, append(opts, scheduler.WithLogger(nil))...)
		if !whole {
			t.Fatalf("%s: main did not reach its end: %v", which, err)
		}
		if check(err); t.Failed() {
			t.Fatal(which)
		}
	}
	once("own order")
	synctest.Test(t, func(*testing.T) { once("in a bubble") })
	for seed := range uint64(seeds) {
		once(fmt.Sprintf("seed %d", seed), scheduler.WithSeed(seed))
	}
}

// value is a task that succeeds with v at once.
func value[T any](v T) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return v, nil }
}

// failing is a task that fails with err at once.
func failing(err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return 0, err }
}

// after is a task that gives way n times and then does as task does.
func after(n int, task func(context.Context) (int, error)) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		for range n {
			if err := scheduler.Yield(ctx); err != nil {
				return 0, err
			}
		}
		return task(ctx)
	}
}

// parked is a task that waits until it is cancelled, and says so.
func parked(ctx context.Context) (int, error) {
	return 0, scheduler.AwaitShutdown(ctx)
}

// settle gives everybody else n turns.
func settle(ctx context.Context, n int) {
	for range n {
		if err := scheduler.Yield(ctx); err != nil {
			panic(fmt.Sprint("settle: ", err))
		}
	}
}
