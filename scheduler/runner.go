package scheduler

import (
	"context"
	"sync/atomic"
)

// Job is what a [Runner] runs. Its methods are called on the loop.
type Job interface {
	// Run is the body of a coroutine.
	Run(ctx context.Context) error
	// Ended is told how that coroutine, c, has ended, also where it never
	// started: with nil, with an error, or, where cancelled is true, with its
	// cancellation. It must not suspend. It may launch the Runner again.
	Ended(c *Coroutine, err error, cancelled bool)
}

// Runner runs its job again and again, each time as a new coroutine of one scope,
// and hands every outcome to the job: none is reported otherwise. Pools and task
// groups are made of it. It belongs to the loop; nothing of it suspends.
//
// A launch goes to the end of the run queue, as any spawn does. One from Ended
// takes the place of the coroutine that has ended, so that the scope is busy
// throughout. From the second launch on it allocates nothing, where nobody can
// tell the coroutine from a new one: one that somebody has got hold of, through
// [Current] or by waiting for it, or that has been cancelled, has handlers,
// or whose ctx was asked for its Done channel or a value, is not used again.
type Runner struct {
	job    Job
	scope  *Scope
	body   func(context.Context) error
	c      *Coroutine // of the last launch
	origin *Origin    // of c
	next   *Origin    // of the launch that Ended asked for, nil for none
	ending bool       // Ended is being called

	exposed atomic.Bool // somebody may hold on to c, or to one before it
}

// Init makes r the runner of job in scope; to be called once.
func (r *Runner) Init(scope *Scope, job Job) {
	r.scope, r.job, r.body = scope, job, job.Run
}

// Launch runs the job as a new coroutine. The last one must have ended. Where the
// scope takes no more, Ended is told [ErrScopeClosed], before Launch returns
// unless Ended itself launches.
func (r *Runner) Launch(o *Origin) {
	if r.ending {
		r.next = o
		return
	}
	r.prepare(o)
	r.c.launch()
}

// prepare has in r.c the coroutine of the next launch.
func (r *Runner) prepare(o *Origin) {
	if r.origin == o && r.c.renewable() {
		r.c.renew()
		return
	}
	r.c = r.scope.s.newCoroutine(r.scope, o.base, o.pc, r.body)
	r.c.linked = o.base.ends
	r.c.runner, r.origin = r, o
	r.exposed.Store(false)
}

// ended tells the job that c has ended, and launches it again where it wants
// that. In that case the scope has a new member before it loses c; where c itself
// is the new one, reused is true.
func (r *Runner) ended(c *Coroutine, err error, how outcome) (reused bool) {
	for {
		r.ending = true
		r.job.Ended(c, err, how == cancelled)
		r.ending = false
		if r.next == nil {
			return false
		}
		o := r.next
		r.next = nil
		if err = r.scope.refuses(); err == nil {
			r.prepare(o)
			break
		}
		how = failed
	}
	s := r.scope.s
	s.live++
	s.stats.spawned++
	if r.c == c && r.scope.owns(c) {
		r.scope.requeue(c)
	} else {
		r.scope.add(r.c)
	}
	s.enqueueReady(r.c)
	return r.c == c
}

// expose notes that somebody may hold on to c. Safe from any goroutine.
func (c *Coroutine) expose() {
	if r := c.runner; r != nil && !r.exposed.Load() {
		r.exposed.Store(true)
	}
}

// renewable reports whether c, which has ended, can stand for a new coroutine.
func (c *Coroutine) renewable() bool {
	return c.x == nil && c.std.Load() == nil && c.cancel.Load() == nil && !c.runner.exposed.Load()
}

// renew makes a new coroutine of c, which is renewable and has ended. Where that
// is just happening, its carrier goes on without it. Pointers that are nil are not
// written: while the collector marks each write costs.
func (c *Coroutine) renew() {
	s := c.s
	if s.running == c {
		s.running = c.carrier.leave(s)
	}
	s.nextID++
	c.id, c.spawned = s.nextID, s.tick.stamp
	c.state, c.outcome = Created, notYet
	c.stack, c.carrier = nil, nil
	c.interrupt, c.told = false, 0
	if c.err != nil {
		c.err = nil
	}
	if c.wakeErr != nil {
		c.wakeErr = nil
	}
}

// leave returns what stands for a coroutine that has left k, until the next one
// begins.
func (k *carrier) leave(s *Scheduler) *Coroutine {
	if k.husk == nil {
		k.husk = &Coroutine{s: s, stack: k.stack, state: Finished}
	}
	return k.husk
}
