package reactor

import (
	"sync"
	"sync/atomic"
)

// completion is something that happened off the loop and is to be handled on it.
type completion interface{ complete() }

// job is work for a goroutine of its own, whose completion is handled on the loop.
type job interface {
	completion
	// work runs off the loop.
	work()
	// orphaned is called in place of complete, off the loop, where the reactor
	// has closed meanwhile.
	orphaned()
}

// offLoop brings what happens on other goroutines to the loop. The poster
// appends, sets pending and nudges; the loop, before it blocks, announces that
// and only then looks at pending: one of the two sees the other.
type offLoop struct {
	mu      sync.Mutex
	posted  []completion
	closed  bool
	pending atomic.Bool

	// The loop's own.
	batch []completion // what is being handled, from next on
	next  int
	jobs  int // begun and not completed
}

// busy reports whether jobs are under way.
func (o *offLoop) busy() bool { return o.jobs > 0 }

// some reports whether there is something to handle.
func (o *offLoop) some() bool { return o.pending.Load() || o.next < len(o.batch) }

// post has c handled on the loop; false says that the reactor has closed. It
// is safe from any goroutine.
func (r *Reactor) post(c completion) bool {
	o := &r.off
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return false
	}
	o.posted = append(o.posted, c)
	o.pending.Store(true)
	o.mu.Unlock()
	r.nudge()
	return true
}

// drain handles what was posted before it began. What a panic leaves over is
// handled by the next one.
func (o *offLoop) drain() {
	if o.next == len(o.batch) {
		clear(o.batch)
		o.mu.Lock()
		o.batch, o.posted = o.posted, o.batch[:0]
		o.pending.Store(false)
		o.mu.Unlock()
		o.next = 0
	}
	for o.next < len(o.batch) {
		c := o.batch[o.next]
		o.next++
		if _, ok := c.(job); ok {
			o.jobs--
		}
		c.complete()
	}
}

// close has everything posted from now on, and what was not handled, orphaned.
func (o *offLoop) close() {
	o.mu.Lock()
	rest := append(o.batch[o.next:], o.posted...)
	o.closed, o.batch, o.posted, o.next = true, nil, nil, 0
	o.pending.Store(false)
	o.mu.Unlock()
	for _, c := range rest {
		if j, ok := c.(job); ok {
			j.orphaned()
		}
	}
}

// pool runs jobs on goroutines of its own, at most limit at once, the others in
// order. A goroutine ends when there is nothing left for it to do.
type pool struct {
	limit int

	mu      sync.Mutex
	queue   []job
	workers int
}

// begin hands j to the pool; its complete is called on the loop when it is done.
func (r *Reactor) begin(p *pool, j job) {
	r.off.jobs++
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.workers == p.limit {
		p.queue = append(p.queue, j)
		return
	}
	p.workers++
	go r.worker(p, j)
}

func (r *Reactor) worker(p *pool, j job) {
	for j != nil {
		j.work()
		if !r.post(j) {
			j.orphaned()
		}
		j = p.take()
	}
}

// take gives a worker its next job; nil has it end.
func (p *pool) take() job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.workers--
		p.queue = nil
		return nil
	}
	j := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	return j
}

// close drops what no worker has begun.
func (p *pool) close() {
	p.mu.Lock()
	rest := p.queue
	p.queue = nil
	p.mu.Unlock()
	for _, j := range rest {
		j.orphaned()
	}
}
