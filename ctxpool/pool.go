// Package ctxpool recycles execution contexts. A context is a stack that runs
// one coroutine after another; making one is the expensive part of starting a
// coroutine.
//
// A pool belongs to one loop. The goroutine that drives the loop is its root
// context. Every other context runs the pool's body once, from its first entry:
// a loop that runs coroutine after coroutine and, between two of them, calls
// [Pool.Park] to offer its context to the pool, and returns when Park says so.
package ctxpool

import "github.com/trueasync/trueasync-go/internal/coro"

// DefaultMin is the number of idle contexts that a pool always keeps.
const DefaultMin = 4

// Pool holds the idle contexts of one scheduler. It is not safe for concurrent
// use: the scheduler's loop owns it.
type Pool struct {
	group *coro.Group
	root  Context
	body  func(*Context)
	idle  []*Context // the one used last is at the end: its stack is warm
	stats Stats
}

// New returns a pool that always keeps up to min idle contexts. It makes none
// before it is asked for one. A negative min counts as 0.
func New(min int) *Pool {
	p := &Pool{}
	p.group = coro.NewGroup(&p.root.Context)
	p.stats.Min = max(min, 0)
	return p
}

// SetBody says what a context runs, from its first entry. Without a body a
// context returns control to whoever entered it and waits in the pool.
func (p *Pool) SetBody(body func(c *Context)) { p.body = body }

// Root is the context of the goroutine that drives the pool.
func (p *Pool) Root() *Context { return &p.root }

// Enter is Switch from the root. Where control comes back because the body of a
// context panicked, Enter panics with what it panicked with and its stack.
func (p *Pool) Enter(to *Context) { p.group.Enter(&to.Context) }

// Get returns an idle context, or makes one. The context is parked.
func (p *Pool) Get() *Context {
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		if c.fresh {
			c.fresh = false
		} else {
			p.stats.Reused++
		}
		return c
	}
	return p.make()
}

// Reserve makes an idle context where there is none, so that the next Get makes
// none. Making one takes some stack: who is near the bottom of its own, before it
// runs a coroutine, spares the coroutine's stack from growing for it.
func (p *Pool) Reserve() {
	if len(p.idle) == 0 {
		c := p.make()
		c.fresh = true
		p.idle = append(p.idle, c)
	}
}

func (p *Pool) make() *Context {
	p.stats.Made++
	c := &Context{}
	p.group.Make(&c.Context, func() { p.run(c) })
	return c
}

func (p *Pool) run(c *Context) {
	if p.body != nil {
		p.body(c)
		return
	}
	for !c.closing {
		Switch(c, &p.root)
	}
}

// Put offers the context of a coroutine that has just ended. It is kept when
// the pool holds fewer than the minimum, or fewer than runnable, the number of
// coroutines waiting in the run queue; otherwise the caller must let it exit.
func (p *Pool) Put(c *Context, runnable int) (kept bool) {
	if c.closing || len(p.idle) >= max(p.stats.Min, runnable) {
		return false
	}
	p.idle = append(p.idle, c)
	return true
}

// Park is how the body of c gives way to next, a parked context, when it has
// nothing to run. Where the pool keeps c, as [Pool.Put] decides it, c waits, and
// Park reports true when c has been given out by Get and entered. Otherwise, and
// when the pool closes, Park reports false: the body must return at once, and
// next runs after it.
func (p *Pool) Park(c, next *Context, runnable int) (again bool) {
	c.SetHeir(&next.Context)
	if !p.Put(c, runnable) {
		return false
	}
	Switch(c, next)
	c.SetHeir(&p.root.Context)
	return !c.closing
}

// Live is the number of contexts that have been made and have not ended.
func (p *Pool) Live() int { return p.group.Live() }

// Close ends every idle context, from the root. Contexts that are in use are not
// touched; put back, they are refused.
func (p *Pool) Close() {
	p.stats.Min = 0
	for len(p.idle) > 0 {
		n := len(p.idle)
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		c.closing = true
		p.Enter(c)
	}
}

// Stats is a snapshot of a pool.
type Stats struct {
	Idle, Min           int
	Made, Reused, Ended uint64
}

// Stats returns a snapshot.
func (p *Pool) Stats() Stats {
	s := p.stats
	s.Idle = len(p.idle)
	s.Ended = s.Made - uint64(p.group.Live())
	return s
}
