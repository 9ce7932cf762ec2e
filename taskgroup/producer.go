package taskgroup

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/scheduler"
)

// producer is a Spawn that waits for room in the queue. It offers its task, and
// whoever makes room takes that: so the queue is in the order of the spawns,
// nobody overtakes, and a Spawn whose task was taken has succeeded, whatever comes
// after.
type producer[K comparable, T any] struct {
	order order[T]
	key   K
	named bool

	ctx   context.Context
	woken notice
	state producerState
	err   error // what Spawn returns, once answered
}

type producerState uint8

const (
	waiting  producerState = iota
	answered               // its task was taken, or refused
	gone                   // its ctx has ended: Spawn returns, or is about to
)

// producers are those that wait, in order.
//
// Invariant: while one waits the queue is full. So a newcomer that finds room
// overtakes nobody.
type producers[K comparable, T any] struct {
	line    ring.Ring[*producer[K, T]]
	waiting int // those in that state
}

// full reports whether a Spawn must wait.
func (g *Group[K, T]) full() bool {
	return g.cfg.queueLimit > 0 && g.queue.Len() >= g.cfg.queueLimit
}

// await suspends until p is answered or its ctx ends.
func (g *Group[K, T]) await(p *producer[K, T]) error {
	p.woken.label = "room in the queue of a task group"
	g.producers.line.PushBack(p)
	g.producers.waiting++
	for {
		_, err := scheduler.Suspend(p.ctx, &p.woken)
		if p.state == answered {
			return p.err
		}
		if err != nil {
			g.producers.leave(p)
			return err
		}
	}
}

// leave notes that the ctx of p has ended.
func (ps *producers[K, T]) leave(p *producer[K, T]) {
	if p.state == waiting {
		p.state = gone
		ps.waiting--
	}
}

// next takes the first that still waits out of the line, nil for none.
func (ps *producers[K, T]) next() *producer[K, T] {
	for {
		p, ok := ps.line.PopFront()
		if !ok {
			return nil
		}
		if p.ctx.Err() != nil {
			ps.leave(p)
		}
		if p.state == waiting {
			return p
		}
	}
}

// answer has the Spawn of p return err.
func (ps *producers[K, T]) answer(p *producer[K, T], err error) {
	p.state, p.err = answered, err
	ps.waiting--
	p.woken.Settle(nil)
}

// admit takes tasks from producers while the queue has room.
func (g *Group[K, T]) admit() {
	for g.producers.waiting > 0 && g.queue.Len() < g.cfg.queueLimit {
		p := g.producers.next()
		switch {
		case p == nil:
			return
		case p.named && g.keys.has(p.key):
			g.producers.answer(p, &duplicateError[K]{p.key})
		default:
			g.enqueue(p.order, p.key, p.named)
			g.producers.answer(p, nil)
		}
	}
}

// refuse turns away all that wait.
func (ps *producers[K, T]) refuse(err error) {
	for p := ps.next(); p != nil; p = ps.next() {
		ps.answer(p, err)
	}
}
