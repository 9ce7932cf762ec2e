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
//
// Invariants: all holds those that have not been ended, busy is their number; the
// queue holds those of them that have not started, and some that were ended there;
// no more than the limit run.
type offloads struct {
	busy  int
	all   map[*offload]struct{}
	queue ring.Ring[*offload]
	until time.Time // how long a loop that ends waits for those that run

	running atomic.Int64  // goroutines
	gone    chan struct{} // rings when one has ended
}

// offload is one of them.
type offload struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	cutOff  bool // its ctx has no end of its own
	started bool
	unwatch func() bool // of the end of ctx, while it waits for its turn
	call    func(context.Context) error
	settle  func(error)
	place   uintptr
}

// Offload runs fn on a goroutine of its own, at most WithWorkers of them at a
// time, in the order of the calls: the way to call anything that blocks. Its ctx
// is derived from ctx, and ends as well when the future is cancelled and when a
// shutdown begins, from which context.WithoutCancel saves it for the grace; fn
// must heed it, for nobody can end a goroutine from outside. One whose ctx ends
// while it waits for its turn never starts.
//
// A panic in fn is logged and becomes a [*PanicError]; an error that is the
// cancellation of its ctx, or the cause of that, counts as one. The result outlives the
// coroutine that asked for it; an error that nobody has looked at when the scope
// ends is returned by Run. Run waits for offloaded work, after a shutdown no
// longer than [WithGrace]: what has not returned by then is left behind, and its
// future is cancelled.
//
// Offload never suspends. It panics where ctx belongs to no coroutine, and off the
// loop.
//
//go:noinline
func Offload[T any](ctx context.Context, fn func(context.Context) (T, error)) *Future[T] {
	if fn == nil {
		misuse("Offload(nil)")
	}
	pc := gid.CallerPC()
	f, _ := newFuture[T](ctx, pc)
	f.s.mustLoop("Offload")
	o := &offload{place: pc, cutOff: ctx.Done() == nil}
	o.ctx, o.cancel = context.WithCancelCause(ctx)
	f.alsoCancel = o.cancel
	var v T // the goroutine's until it has ended
	o.call = func(ctx context.Context) (err error) {
		v, err = fn(ctx)
		return err
	}
	o.settle = func(err error) {
		var got T
		if err == nil {
			got = v
		}
		_ = f.resolve(got, err, 0) // cancelled meanwhile: nobody wants it
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
	off.all[o] = struct{}{}
	off.busy++
	if s.end.final {
		o.cancel(s.end.cause)
	}
	if o.ctx.Err() != nil {
		s.endOffload(o, endOfForeign(o.ctx))
		return
	}
	off.queue.PushBack(o)
	s.startOffloads()
	if !o.started {
		o.unwatch = context.AfterFunc(o.ctx, func() {
			_ = s.enqueue(func() { // a loop that has ended has ended o
				if !o.started {
					s.endOffload(o, endOfForeign(o.ctx))
				}
			})
		})
	}
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
		if o.unwatch != nil {
			o.unwatch()
		}
		o.started = true
		off.running.Add(1)
		go s.runOffload(o)
	}
}

// runOffload is the goroutine of o.
func (s *Scheduler) runOffload(o *offload) {
	err := ErrGoexit
	defer func() {
		s.offloads.running.Add(-1)
		end := func() { s.endOffload(o, err) }
		_ = s.enqueueItem(inboxItem{ // a loop that has ended has ended o
			run: func() {
				end()
				s.startOffloads()
			},
			refused: end,
		})
		select {
		case s.offloads.gone <- struct{}{}:
		default:
		}
	}()
	err = o.asOutcome(s.callOffload(o))
}

// asOutcome is the cancellation of o in place of an err that says no more.
func (o *offload) asOutcome(err error) error {
	if err == nil || o.ctx.Err() != context.Canceled {
		return err
	}
	if isCancellation(err) || err == context.Cause(o.ctx) {
		return endOfForeign(o.ctx)
	}
	return err
}

// callOffload calls the function and gives a panic in it as an error.
func (s *Scheduler) callOffload(o *offload) (err error) {
	defer func() {
		if v := recover(); v != nil {
			e := &PanicError{v, debug.Stack()}
			s.logPanic("a function offloaded"+at(place(o.place)), e)
			err = e
		}
	}()
	return o.call(o.ctx)
}

// endOffload settles the future of o, unless that has been done.
func (s *Scheduler) endOffload(o *offload, err error) {
	off := &s.offloads
	if _, there := off.all[o]; !there {
		return
	}
	delete(off.all, o)
	off.busy--
	o.settle(err)
	o.cancel(nil)
}

// cancelOffloads is for the beginning of a shutdown.
func (s *Scheduler) cancelOffloads() {
	off := &s.offloads
	off.until = time.Now().Add(s.cfg.grace)
	for o := range off.all {
		if !o.cutOff {
			o.cancel(s.end.cause)
		}
	}
}

// stopOffloads ends what runs off the loop as the loop ends. It waits for that,
// but no longer than the grace of the shutdown.
func (s *Scheduler) stopOffloads() {
	off := &s.offloads
	if off.busy == 0 {
		return
	}
	for o := range off.all {
		o.cancel(s.end.cause)
	}
	patience := time.NewTimer(time.Until(off.until))
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

// abandonOffloads settles the futures of what was left behind, once the loop takes
// nothing any more.
func (s *Scheduler) abandonOffloads() {
	for o := range s.offloads.all {
		s.endOffload(o, &CancelledError{s.end.cause})
	}
}
