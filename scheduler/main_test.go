package scheduler_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// TestMain has Go's own poller open its descriptor before any test counts them.
// With TRUEASYNC_SEED set, every scheduler of the tests runs in that order, but
// those of tests of the order itself, which say InOrder.
func TestMain(m *testing.M) {
	r, w, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = r.SetReadDeadline(time.Now().Add(time.Hour))
	r.Close()
	w.Close()
	if seed, err := strconv.ParseUint(os.Getenv("TRUEASYNC_SEED"), 10, 64); err == nil {
		scheduler.ForceSeed(seed)
	}
	os.Exit(m.Run())
}

// AN-1: nothing is left after the end, as every test checks with clean. NB-1: the
// whole suite runs under the race detector, and no race is suppressed.

// clean fails t if goroutines or descriptors are left when it has ended that were
// not there when clean was called. What is ending is given time to end.
func clean(t testing.TB) {
	t.Helper()
	goroutines, descriptors := goroutinesNow(), descriptorsNow()
	t.Cleanup(func() {
		var left string
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
			if left = newIn(goroutinesNow(), goroutines) + newIn(descriptorsNow(), descriptors); left == "" {
				return
			}
		}
		t.Errorf("left behind:\n%s", left)
	})
}

// newIn lists what is in now and was not in before.
func newIn(now, before map[string]string) string {
	var b strings.Builder
	maps.DeleteFunc(now, func(key, _ string) bool { _, old := before[key]; return old })
	for key, what := range now {
		fmt.Fprintf(&b, "%s: %s\n", key, what)
	}
	return b.String()
}

// goroutinesNow are the stacks of those goroutines that have anything to do with
// this module, by number.
func goroutinesNow() map[string]string {
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

// descriptorsNow are the open ones, where the system lists them.
func descriptorsNow() map[string]string {
	open := make(map[string]string)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return open
	}
	for _, e := range entries {
		if what, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			open["descriptor "+e.Name()+" "+what] = what
		}
	}
	return open
}

// run runs main on a scheduler of its own and requires that nothing fails and
// nothing is left behind.
func run(t testing.TB, main func(ctx context.Context) error, opts ...scheduler.Option) {
	t.Helper()
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), main, opts...))
}

// orders is run in the scheduler's own order and in many permuted ones: for what
// is promised in every order.
func orders(t *testing.T, main func(ctx context.Context) error, opts ...scheduler.Option) {
	t.Helper()
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), main, opts...))
	for seed := range uint64(20) {
		err := scheduler.Run(context.Background(), main, append(opts[:len(opts):len(opts)], scheduler.WithSeed(seed))...)
		require.NoError(t, err, "WithSeed(%d)", seed)
	}
}

// requireNoAllocs requires that fn, called by a coroutine again and again,
// allocates nothing. Where telling goroutines apart allocates, it proves nothing.
func requireNoAllocs(t testing.TB, ctx context.Context, fn func()) {
	t.Helper()
	s := scheduler.Current(ctx).Scheduler()
	if testing.AllocsPerRun(100, func() { s.OnLoop() }) > 0 {
		t.Log("not measured: package gid allocates here")
		return
	}
	require.Zero(t, testing.AllocsPerRun(1000, fn))
}

// here is the place of its caller's line, plus so many, as the library writes it.
func here(lines int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line+lines)
}
