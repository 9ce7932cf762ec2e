package scheduler

import (
	"context"
	"errors"
	"iter"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/microtask"
)

// Iterate calls fn for each pair of seq, in up to n coroutines at once, and
// returns when all calls have ended.
//
// seq runs on the coroutine that calls Iterate, so that it may suspend, with ctx,
// between two pairs; that one calls fn never itself, and is not counted. Each call
// of fn is a coroutine of its own; they begin in the order of seq. The iteration
// passes on when the call that began last suspends, or has ended: so a pair is
// taken from seq only when its call can begin, and where fn never suspends the
// calls run one after another. What passes it on is a microtask of the call.
//
// The first failure of a call stops the iteration: an error, a panic (as
// [*PanicError]), a Goexit ([ErrGoexit]). The other calls are cancelled, with that
// failure as the cause, and Iterate returns it when they have ended; where they
// fail too, by more than their cancellation, it returns them all, in a
// [*CompositeError]. The end of ctx cancels all calls in the same way, and is
// returned where none of them fails with something else. A seq that is waiting
// when that happens is not interrupted by a failure of fn, only by the end of what
// it waits under. A panic or a Goexit in seq goes on through Iterate, after all
// calls have been cancelled and have ended.
//
// The ctx of fn has the values of ctx. Its scope is one of the iteration's own,
// below the current one: what fn spawns is cancelled where the iteration is
// stopped, and may otherwise outlive it.
//
// Iterate is for the coroutine of ctx and suspends. It fails at once where ctx has
// ended, and with [ErrScopeClosed] where the current scope is closed. It panics
// where n is below 1, or seq or fn is nil.
//
//go:noinline
func Iterate[K, V any](ctx context.Context, seq iter.Seq2[K, V], n int, fn func(context.Context, K, V) error) error {
	if n < 1 || seq == nil || fn == nil {
		misuse("Iterate: at least 1 coroutine, a sequence and a function are needed")
	}
	it, err := newIteration(ctx, n, gid.CallerPC())
	if err != nil {
		return err
	}
	var idle *call[K, V]
	normal := false
	defer func() {
		if !normal {
			it.stop(errBrokenOff)
			it.end()
		}
	}()
	for k, v := range seq {
		if it.stopped != nil { // while seq was waiting
			break
		}
		a := idle
		if a == nil {
			a = &call[K, V]{fn: fn}
			a.init(it, func() { a.next, idle = idle, a })
		} else {
			idle = a.next
		}
		a.k, a.v = k, v
		it.begin(&a.step)
		if it.wait(n); it.stopped != nil {
			break
		}
	}
	it.wait(1)
	normal = true
	it.end()
	return it.result()
}

// errBrokenOff is the cause of the cancellations where seq panics.
var errBrokenOff = errors.New("scheduler: iteration was broken off")

// iteration is an Iterate that is under way. It belongs to the loop.
//
// Invariants: busy counts the calls that have been launched and have not ended;
// holder is the one of them that began last, or is about to, as long as it has not
// suspended.
type iteration struct {
	ctx    context.Context
	c      *Coroutine // whose call of Iterate it is
	scope  *Scope     // of the calls
	origin *Origin
	n      int
	undo   func() // of the watch for the end of ctx

	busy    int
	holder  *step
	limit   int  // what wait waits for
	waiting bool // c is parked in wait

	pass   *microtask.Task // passes the iteration on
	queued bool

	stopped  error   // why, nil while it goes on
	failures []error // of calls
}

// step is a call of fn, as far as the iteration is concerned.
type step struct {
	Runner
	it    *iteration
	began bool
	free  func() // it can be used again
}

// call is a call of fn. It is used for pair after pair.
type call[K, V any] struct {
	step
	fn   func(context.Context, K, V) error
	k    K
	v    V
	next *call[K, V] // idle as well
}

func newIteration(ctx context.Context, n int, pc uintptr) (*iteration, error) {
	c, err := own(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.ended(ctx); err != nil {
		return nil, err
	}
	if err := c.scope.refuses(); err != nil {
		return nil, err
	}
	it := &iteration{ctx: ctx, c: c, n: n, scope: c.scope.NewChild(ScopeName("iteration"))}
	until := ctx
	if ctx == context.Context(c) || ctx.Done() == nil {
		until = nil // its end is told by watching, or there is none
	}
	if it.origin, err = it.scope.OriginOf(ctx, until, pc); err != nil {
		return nil, err
	}
	it.pass = microtask.New(it.passOn, nil)
	it.undo = c.s.whenEnds(ctx, func() { it.stop(nil) })
	return it, nil
}

func (a *call[K, V]) init(it *iteration, free func()) {
	a.it, a.free = it, free
	a.Init(it.scope, a)
}

// Run implements [Job].
func (a *call[K, V]) Run(ctx context.Context) error {
	a.it.hasBegun(&a.step)
	return a.fn(ctx, a.k, a.v)
}

// Ended implements [Job].
func (a *call[K, V]) Ended(_ *Coroutine, err error, cancelled bool) {
	var (
		noKey   K
		noValue V
	)
	a.k, a.v = noKey, noValue
	a.free()
	a.it.callEnded(&a.step, err, cancelled)
}

// begin launches a call, which holds the iteration from now on.
func (it *iteration) begin(a *step) {
	it.busy++
	it.holder, a.began = a, false
	a.Launch(it.origin)
}

// hasBegun is called as fn is about to be. The microtask runs when the call gives
// way. Alone, a call can keep the iteration until it has ended.
func (it *iteration) hasBegun(a *step) {
	a.began = true
	if !it.queued && it.n > 1 {
		it.queued = true
		it.c.s.Microtask(it.pass)
	}
}

// passOn is the microtask.
func (it *iteration) passOn() error {
	it.queued = false
	if it.holder != nil && it.holder.began {
		it.holder = nil
		it.goOn()
	}
	return nil
}

// callEnded is told how a call has ended.
func (it *iteration) callEnded(a *step, err error, cancelled bool) {
	it.busy--
	if it.holder == a {
		it.holder = nil
	}
	if err != nil {
		if !cancelled && !it.isEnd(err) {
			it.failures = append(it.failures, err)
		}
		it.stop(err)
	}
	it.goOn()
}

// isEnd reports whether err, of a call, says no more than that ctx has ended.
func (it *iteration) isEnd(err error) bool {
	end := it.ctx.Err()
	return end != nil && errors.Is(err, end)
}

// stop ends the iteration: for the end of ctx, where that has ended, else for err.
// The first reason stays.
func (it *iteration) stop(err error) {
	if it.stopped != nil {
		return
	}
	cause := err
	if end := it.c.endOf(it.ctx); end != nil && len(it.failures) == 0 {
		err, cause = end, context.Cause(it.ctx)
	}
	it.stopped = err
	it.scope.cancelAll(cause)
	it.goOn()
}

// room reports whether another call may begin; where none may be left, limit is 1.
func (it *iteration) room(limit int) bool { return it.holder == nil && it.busy < limit }

// goOn wakes the coroutine that iterates where it has what it waits for.
func (it *iteration) goOn() {
	if it.waiting && it.c.state == Suspended && (it.stopped != nil || it.room(it.limit)) {
		it.c.wake(nil)
	}
}

// wait parks the coroutine that iterates until fewer than limit calls are under
// way and none holds the iteration, or the iteration is stopped.
func (it *iteration) wait(limit int) {
	it.limit = limit
	for it.stopped == nil && !it.room(limit) {
		it.waiting = true
		err := it.c.park(it.ctx, iterationStep)
		it.waiting = false
		if err != nil {
			it.stop(err)
		}
	}
}

// end returns when every call has ended; only the final clean-up cuts it short.
func (it *iteration) end() {
	it.undo()
	it.limit = 1
	for it.busy > 0 {
		it.waiting = true
		err := it.c.park(context.WithoutCancel(it.ctx), iterationEnd)
		it.waiting = false
		if err != nil && it.c.s.end.final {
			break
		}
	}
	it.pass.Cancel()
	it.pass.Release()
	it.scope.endWhenIdle()
}

// result is what Iterate returns.
func (it *iteration) result() error {
	switch len(it.failures) {
	case 0:
		return it.stopped
	case 1:
		return it.failures[0]
	}
	return &CompositeError{it.failures}
}

// endWhenIdle has the scope end as soon as all that it owns has.
func (sc *Scope) endWhenIdle() {
	if sc.busy == 0 {
		sc.Close()
		return
	}
	sc.idle.Subscribe(func(error) { sc.closed = true })
}
