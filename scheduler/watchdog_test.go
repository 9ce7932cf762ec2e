package scheduler_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// journal is a log that other goroutines write and tests look at.
type journal struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines.String()
}

// reports is how often the watchdog has reported.
func (j *journal) reports() int { return strings.Count(j.String(), "holds the loop") }

// hold keeps the loop until the watchdog has reported n times.
func (j *journal) hold(n int) {
	for j.reports() < n {
	}
}

func (j *journal) options(d time.Duration) []scheduler.Option {
	return []scheduler.Option{scheduler.WithWatchdog(d), scheduler.WithLogger(slog.New(slog.NewTextHandler(j, nil)))}
}

// A coroutine that keeps the loop is named, with its stack: also when it is not the
// first on its context, and when it has been suspended before.
func TestFault_TM2_WatchdogNamesTheCulprit(t *testing.T) {
	var log journal
	run(t, func(ctx context.Context) error {
		for range 3 { // others have run on the contexts before
			if err := scheduler.Go(ctx, scheduler.Yield).Await(ctx); err != nil {
				return err
			}
		}
		culprit := scheduler.Go(ctx, func(ctx context.Context) error {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
			blockTheThread(&log)
			return nil
		}, scheduler.Named("culprit"))
		if err := culprit.Await(ctx); err != nil {
			return err
		}
		require.Contains(t, log.String(), fmt.Sprintf(`coroutine %d \"culprit\" holds the loop`, culprit.ID()))
		require.Contains(t, log.String(), "blockTheThread", "the stack shows where")
		require.Contains(t, log.String(), "for=")
		return nil
	}, log.options(5*time.Millisecond)...)
}

func blockTheThread(log *journal) { log.hold(1) }

// Each time it is reported once, and each time anew.
func TestWatchdogReportsOnceEachTime(t *testing.T) {
	var log journal
	run(t, func(ctx context.Context) error {
		for i := range 3 {
			log.hold(i + 1)
			for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); {
			}
			require.Equal(t, i+1, log.reports())
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		return nil
	}, log.options(2*time.Millisecond)...)
}

// PR499: callbacks that keep the loop are found, wherever they run.
func TestFault_GL1_WatchdogFindsCallbacks(t *testing.T) {
	places := map[string]func(ctx context.Context, s *scheduler.Scheduler, fn func()) error{
		"post":      func(_ context.Context, s *scheduler.Scheduler, fn func()) error { return s.Post(fn) },
		"microtask": func(_ context.Context, s *scheduler.Scheduler, fn func()) error { s.Microtask(newTask(fn)); return nil },
		"timer": func(_ context.Context, s *scheduler.Scheduler, fn func()) error {
			timer := s.Reactor().NewTimer(time.Millisecond, 0)
			timer.Subscribe(func(error) { fn() })
			return timer.Start()
		},
		"finally": func(ctx context.Context, _ *scheduler.Scheduler, fn func()) error {
			scheduler.Go(ctx, scheduler.Yield).Finally(func(*scheduler.Coroutine) { fn() })
			return nil
		},
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			var log journal
			run(t, func(ctx context.Context) error {
				done, r := scheduler.NewFuture[int](ctx)
				err := place(ctx, scheduler.Current(ctx).Scheduler(), func() {
					log.hold(1)
					_ = r.Complete(0)
				})
				if err != nil {
					return err
				}
				late, cancel := scheduler.WithTimeout(ctx, time.Hour)
				defer cancel()
				_, err = done.Await(late)
				return err
			}, log.options(5*time.Millisecond)...)
			require.Contains(t, log.String(), "TestFault_GL1_WatchdogFindsCallbacks")
		})
	}
}

// What runs on the goroutine of Run itself is no coroutine's.
func TestWatchdogFindsWhatRunsAtTheEnd(t *testing.T) {
	var log journal
	run(t, func(ctx context.Context) error {
		scheduler.NewScope(ctx).Finally(func(*scheduler.Scope) { log.hold(1) })
		return nil
	}, log.options(5*time.Millisecond)...)
	require.Contains(t, log.String(), "a callback holds the loop")
}

// A loop that waits, or that is busy and moves on, is left alone.
func TestWatchdogLeavesOthersAlone(t *testing.T) {
	var log journal
	run(t, func(ctx context.Context) error {
		if err := scheduler.Sleep(ctx, 60*time.Millisecond); err != nil {
			return err
		}
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) {
			for end := time.Now().Add(60 * time.Millisecond); time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			return 0, nil
		}).Await(ctx)
		if err != nil {
			return err
		}
		for end := time.Now().Add(60 * time.Millisecond); time.Now().Before(end); {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		return nil
	}, log.options(40*time.Millisecond)...)
	require.Empty(t, log.String())
}

func TestWatchdogMisuse(t *testing.T) {
	require.Panics(t, func() { scheduler.WithWatchdog(0) })
	require.Panics(t, func() { scheduler.WithWatchdog(-time.Second) })
}

// Without a logger there is nobody to report to.
func TestWatchdogWithoutALogger(t *testing.T) {
	run(t, scheduler.Yield, scheduler.WithWatchdog(time.Millisecond), scheduler.WithLogger(nil))
}

func ExampleWithWatchdog() {
	reported := make(chan struct{})
	logger := slog.New(slog.NewTextHandler(writer(func(line string) {
		_, line, _ = strings.Cut(line, "msg=")
		line, _, _ = strings.Cut(line, " for=")
		fmt.Println(line)
		close(reported)
	}), nil))
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			<-reported // blocks the loop: this wants Offload, or a Future
			return nil
		}, scheduler.Named("blocker"))
		return c.Await(ctx)
	}, scheduler.WithWatchdog(10*time.Millisecond), scheduler.WithLogger(logger))
	// Output: "coroutine 2 \"blocker\" holds the loop"
}

// writer is a function that gets what is written.
type writer func(string)

func (w writer) Write(p []byte) (int, error) {
	w(string(p))
	return len(p), nil
}
