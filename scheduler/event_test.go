package scheduler_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

// flag is an event of a user's own: it has no Waiter's place, and fires when set.
type flag struct {
	subs           map[*func(error)]struct{}
	starts, stops  int
	onStart        func() error
	set            bool
	calledTooLate  func(error) // the last function subscribed, kept past its end
	subscribeFirst func()
}

func (e *flag) Start() error {
	e.starts++
	if e.onStart != nil {
		return e.onStart()
	}
	return nil
}

func (e *flag) Stop() { e.stops++ }

func (e *flag) Subscribe(fn func(error)) func() {
	if e.subscribeFirst != nil {
		e.subscribeFirst()
	}
	e.calledTooLate = fn
	if e.set {
		fn(nil)
		return func() {}
	}
	if e.subs == nil {
		e.subs = map[*func(error)]struct{}{}
	}
	e.subs[&fn] = struct{}{}
	return func() { delete(e.subs, &fn) }
}

func (e *flag) String() string { return "flag" }

func (e *flag) fire(err error) {
	for fn := range e.subs {
		(*fn)(err)
	}
}

// virtual has time stand still while anything can run.
func virtual() scheduler.Option {
	return scheduler.WithClock(schedtest.NewClock(schedtest.Start))
}

// silent keeps panics that are meant out of the log.
func silent() scheduler.Option { return scheduler.WithLogger(nil) }

// yields lets everything that is ready run n times.
func yields(ctx context.Context, n int) {
	ctx = context.WithoutCancel(ctx)
	for range n {
		_ = scheduler.Yield(ctx)
	}
}

// forever suspends until ctx ends.
func forever(ctx context.Context) error { return scheduler.Sleep(ctx, 1000*time.Hour) }

// elsewhere calls fn on another goroutine and returns when fn has.
func elsewhere(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// off calls fn on another goroutine and waits for it as a coroutine, so that the loop
// goes on.
func off(ctx context.Context, fn func()) {
	_, _ = scheduler.Offload(ctx, func(context.Context) (int, error) { fn(); return 0, nil }).Await(ctx)
}

// recorder keeps what is logged.
type recorder struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *recorder) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

// Write implements io.Writer.
func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

// count counts the log's lines of panics with that value.
func (r *recorder) count(value string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Count(r.text.String(), "panic="+value)
}
