// Package schedtest helps to test programs written as coroutines: on virtual
// time, in many orders, and with a check that nothing is left behind.
//
//	func TestRetry(t *testing.T) {
//		schedtest.Seeds(t, 50, func(ctx context.Context) error {
//			return retry(ctx, time.Hour, flaky) // takes no time
//		})
//	}
//
// Virtual time holds for what goes by the scheduler's clock: scheduler.Sleep,
// scheduler.WithTimeout, timers of the reactor. Where a program uses Go's own
// timers, testing/synctest makes those virtual; schedulers work in its bubbles.
package schedtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Start is when the clock of Run begins.
var Start = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// Run runs main on virtual time and fails t on an error, on a coroutine or
// goroutine left behind, and on a deadlock, whose report it prints. Panics are
// logged to t. main is cancelled when t's Context ends.
//
// Options come after Run's own, and override them.
func Run(t testing.TB, main func(context.Context) error, opts ...scheduler.Option) {
	t.Helper()
	label := fmt.Sprint(runs.Add(1))
	all := append([]scheduler.Option{
		scheduler.WithClock(NewClock(Start)),
		scheduler.WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil))),
	}, opts...)
	s := scheduler.New(all...)

	var err error
	ended := make(chan struct{})
	go func() { // a goroutine of its own, for the sake of the label, which all that it starts inherit
		defer close(ended)
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(labelKey, label)))
		err = s.Run(t.Context(), main)
	}()
	<-ended

	var deadlock *scheduler.DeadlockError
	switch {
	case err == nil:
	case errors.As(err, &deadlock):
		t.Errorf("schedtest: %v", err)
	case errors.Is(err, scheduler.ErrGoexit) && t.Failed():
		// a failed assertion, which has told its story
	default:
		t.Errorf("schedtest: main ended with an error: %v", err)
	}
	if n := s.Stats().Coroutines; n > 0 {
		t.Errorf("schedtest: %d coroutine(s) left behind", n)
	}
	if left := leftBehind(label); left != "" {
		t.Errorf("schedtest: goroutines left behind:\n%s", left)
	}
}

// Seeds runs test once for each of n scheduling orders, as subtests that are named
// by their seed: so the name of one that fails tells how to run it again.
func Seeds(t *testing.T, n int, main func(context.Context) error, opts ...scheduler.Option) {
	t.Helper()
	for seed := range uint64(n) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Helper()
			Run(t, main, append([]scheduler.Option{scheduler.WithSeed(seed)}, opts...)...)
		})
	}
}

// labelKey is the profiler label by which the goroutines of one Run are known.
const labelKey = "schedtest"

var runs atomic.Uint64

// leftBehind are the stacks of the goroutines with that label. One that is on its
// way out is given time to go.
func leftBehind(label string) (left string) {
	for range patience {
		if left = labelled(label); left == "" {
			return ""
		}
		runtime.Gosched()
	}
	return left
}

// patience is how often leftBehind looks.
const patience = 1000

func labelled(label string) string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return err.Error()
	}
	var found []string
	want := fmt.Sprintf("%q:%q", labelKey, label)
	for entry := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(entry, want) {
			found = append(found, entry)
		}
	}
	return strings.Join(found, "\n\n")
}
