package aio

import (
	"context"
	"runtime/debug"

	"github.com/trueasync/trueasync-go/scheduler"
)

// backgroundLimit is how many functions the process runs in the background at
// once: each may hold a thread.
const backgroundLimit = 64

var backgroundSlots = make(chan struct{}, backgroundLimit)

// background runs fn, which may block, on a goroutine of its own, and suspends
// the running coroutine until it has returned or ctx ends. What fn returns when
// nobody waits for it any more goes to discard, which may be nil.
func background[T any](ctx context.Context, fn func(context.Context) (T, error), discard func(T)) (T, error) {
	f, r := scheduler.NewExternal[T](ctx)
	f.Ignore() // what nobody waits for is no failure of anybody
	go func() {
		defer func() {
			if v := recover(); v != nil {
				_ = r.Fail(&scheduler.PanicError{Value: v, Stack: debug.Stack()})
			}
		}()
		select {
		case backgroundSlots <- struct{}{}:
		case <-ctx.Done():
			_ = r.Fail(ctx.Err())
			return
		}
		defer func() { <-backgroundSlots }()
		v, err := fn(ctx)
		if err != nil {
			_ = r.Fail(err)
		} else if r.Complete(v) != nil && discard != nil {
			discard(v)
		}
	}()
	v, err := f.Await(ctx)
	if err != nil {
		f.Cancel(nil)
	}
	return v, err
}
