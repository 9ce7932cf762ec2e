package scheduler

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/internal/ring"
)

// offloads are the functions that run off the loop. It belongs to the loop, but
// for running and gone.
type offloads struct {
	busy  int // running, or waiting for their turn
	queue ring.Ring[*offload]
	all   map[*offload]struct{}

	running atomic.Int64  // goroutines
	gone    chan struct{} // rings when one has ended
}

// offload is one of them.
type offload struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	call   func(context.Context) error
	settle func(error)
}

// Offload runs fn on a goroutine of its own, at most WithWorkers of them at a
// time: the way to call anything that blocks. Its ctx is derived from ctx, and
// ends as well when the future is cancelled; fn must heed it, for nobody can end
// a goroutine from outside. One that is cancelled while it waits for its turn
// never starts.
//
// The result outlives the coroutine that asked for it; an error that nobody has
// looked at when the scope ends is returned by Run. Run waits for offloaded work,
// after a shutdown for a limited time. Offload is called on the loop and never
// suspends.
//
//go:noinline
func Offload[T any](ctx context.Context, fn func(context.Context) (T, error)) *Future[T] {
	if fn == nil {
		misuse("Offload(nil)")
	}
	f, r := newFuture[T](ctx, gid.CallerPC())
	f.s.mustLoop("Offload")
	var v T
	o := &offload{}
	o.ctx, o.cancel = context.WithCancelCause(ctx)
	f.alsoCancel = o.cancel
	o.call = func(ctx context.Context) (err error) {
		v, err = fn(ctx)
		return err
	}
	o.settle = func(err error) {
		if err != nil {
			var none T
			v = none
		}
		_ = r.f.resolve(v, err, 0) // cancelled meanwhile: nobody wants it
	}
	f.s.offload(o)
	return f
}

// offload has o run, now or when its turn comes.
func (s *Scheduler) offload(o *offload) {
	off := &s.offloads
	if off.all == nil {
		off.all = map[*offload]struct{}{}
		off.gone = make(chan struct{}, 1)
	}
	off.busy++
	off.all[o] = struct{}{}
	off.queue.PushBack(o)
	s.startOffloads()
}

// startOffloads starts as many of those that wait as may run.
func (s *Scheduler) startOffloads() {
	off := &s.offloads
	for int(off.running.Load()) < s.cfg.workers {
		o, ok := off.queue.PopFront()
		if !ok {
			return
		}
		if o.ctx.Err() != nil {
			s.endOffload(o, endOfForeign(o.ctx))
			continue
		}
		off.running.Add(1)
		go s.runOffload(o)
	}
}

// runOffload is the goroutine of o.
func (s *Scheduler) runOffload(o *offload) {
	err := ErrGoexit
	defer func() {
		s.offloads.running.Add(-1)
		_ = s.enqueue(func() { // where Run has not waited for it nobody does
			s.endOffload(o, err)
			s.startOffloads()
		})
		select {
		case s.offloads.gone <- struct{}{}:
		default:
		}
	}()
	err = s.callOffload(o)
}

// callOffload calls the function and gives a panic in it as an error.
func (s *Scheduler) callOffload(o *offload) (err error) {
	defer func() {
		if v := recover(); v != nil {
			e := &PanicError{v, debug.Stack()}
			s.logPanic(nil, e)
			err = e
		}
	}()
	return o.call(o.ctx)
}

// endOffload settles the future of o.
func (s *Scheduler) endOffload(o *offload, err error) {
	s.offloads.busy--
	delete(s.offloads.all, o)
	o.settle(err)
	o.cancel(nil)
}

// stopOffloads ends what runs off the loop as the loop ends. It waits, but no
// longer than the grace of a shutdown: what does not heed its ctx is left behind.
func (s *Scheduler) stopOffloads() {
	off := &s.offloads
	if off.busy == 0 {
		return
	}
	for o := range off.all {
		o.cancel(s.end.cause)
	}
	patience := time.NewTimer(s.cfg.grace)
	defer patience.Stop()
	for off.running.Load() > 0 {
		select {
		case <-off.gone:
			continue
		case <-patience.C:
		}
		if s.cfg.logger != nil {
			s.cfg.logger.Warn("offloaded functions do not heed the end of their ctx and are left behind", "count", off.running.Load())
		}
		return
	}
}
