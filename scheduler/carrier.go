package scheduler

import (
	"context"
	"runtime/debug"

	"github.com/trueasync/trueasync-go/ctxpool"
	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/reactor"
)

// carrier is what a context, a stack, has for the coroutine that it runs: who it
// is, and the room for what one suspension needs. It outlives the coroutine.
type carrier struct {
	gid   uintptr
	stack *ctxpool.Context
	co    *Coroutine
	head  *string    // of its goroutine's stack trace, for the watchdog
	husk  *Coroutine // stands for one that has left; see Runner

	// The suspension that is under way.
	nodes   []*waitNode // one for each event, reused
	first   waitNode    // of the first event: most suspensions have one
	fired   reactor.Event
	firing  error
	waitCtx context.Context // the ctx waited under, where that is a derived one
	// undo takes back what waiting under waitCtx took.
	undo func()
	// underLink: the wait counts as one that the end of the ctx may end that the
	// coroutine was spawned with.
	underLink bool
	looks     bool    // whatever wakes it, it will look at how the event ended
	wants     want    // what is waited for, where that is no event
	since     int64   // when it began: a stamp, see tickState
	promise   promise // what it was granted in a line and has not got yet
}

// waitNode is the place of a suspended coroutine in the list of one event.
type waitNode struct {
	event.Waiter
	k     *carrier
	ev    reactor.Event
	unsub func() // of an event that has no place for a Waiter
	// started: a Start has succeeded that is to be undone.
	started bool
	held    bool // the wait counts as one for something outside
}

// hold has the wait count as one that something outside will end.
func (n *waitNode) hold() {
	n.held = true
	n.k.co.s.holdOutside(1)
}

// holdOutside counts waits that something outside will end.
func (s *Scheduler) holdOutside(n int) {
	s.holds += n
	s.outside += n
}

// Fired implements event.Target.
func (n *waitNode) Fired(_ *event.Waiter, err error) { n.k.notice(n.ev, err) }

// carry is the body of a context: it runs coroutine after coroutine, as long as
// there is one for it.
//
// Its frame, and all others below a suspension, must be small: a stack begins with
// 2 KiB, about half of which is the runtime's reserve, and one that has grown
// stays so.
func (s *Scheduler) carry(self *ctxpool.Context) {
	k := &carrier{gid: gid.Get(), stack: self}
	k.first.k = k
	k.first.Target = &k.first
	s.carriers.Put(k.gid, k)
	for {
		c := s.starting
		s.starting = nil
		if c == nil {
			break // the pool closes
		}
		for {
			if s.ready.Len() > 0 && s.ready.At(0).stack == nil {
				s.pool.Reserve() // c may suspend, and the next has not started
			}
			s.start(c, k)
			if c = s.next(); c.stack != nil {
				break
			}
			s.stats.directStarts++
			s.begin(c)
		}
		s.stats.switches++
		s.begin(c)
		if !s.pool.Park(self, c.stack, s.ready.Len()) {
			break
		}
	}
	s.carriers.Delete(k.gid)
}

// begin notes that c is about to run.
func (s *Scheduler) begin(c *Coroutine) {
	c.state = Running
	s.running = c
	s.spent = 0
}

// stackFor returns the context to switch to for c: its own, or, before it has
// started, one that will start it. The caller switches to it.
func (s *Scheduler) stackFor(c *Coroutine) *ctxpool.Context {
	if c.stack == nil {
		c.stack = s.pool.Get()
		s.starting = c
	}
	return c.stack
}

// start runs c, from its first instruction to its last, on k.
func (s *Scheduler) start(c *Coroutine, k *carrier) {
	c.stack, c.carrier = k.stack, k
	k.co = c
	c.gid.Store(k.gid)
	if s.dog != nil {
		s.dog.started(c, k)
	}
	in := theBody
	defer func() {
		if in != nothing {
			s.afterAbnormalEnd(c, k, recover(), in == theEnd)
		}
	}()
	if c.hooked {
		c.handle(Enter)
	}
	err := c.body(c)
	in = theEnd
	c.end(err)
	in = nothing
	k.co = nil
}

// What a context is in when it is left in a way that is not the normal one.
const (
	theBody = iota
	theEnd
	nothing
)

// afterAbnormalEnd ends a coroutine whose body did not return, or whose end was
// left: a callback may have called runtime.Goexit in the middle of it, as in the
// middle of a suspension. After a panic, which has been recovered, the context
// goes on. In a Goexit it cannot: it hands over to the next coroutine and exits.
func (s *Scheduler) afterAbnormalEnd(c *Coroutine, k *carrier, panicked any, ending bool) {
	k.disarm()
	k.looks = false
	exits := true
	defer func() { // for the callbacks of its end may call Goexit again
		k.co = nil
		if exits {
			defer s.carriers.Delete(k.gid) // the tick between is the loop's
			s.handOver(k)
		}
	}()
	switch {
	case panicked != nil:
		err := &PanicError{panicked, debug.Stack()}
		s.logPanic(c.String(), err)
		c.end(err)
		exits = false
	case ending:
	case s.end.final && c.x != nil && c.x.failures > refusals:
		c.end(c.cancel.Load()) // the Goexit was the clean-up's own; see refuse
	default:
		c.end(ErrGoexit)
	}
}

// handOver has the next coroutine run when the context of k has exited.
func (s *Scheduler) handOver(k *carrier) {
	n := s.next()
	s.stats.switches++
	to := s.stackFor(n)
	s.begin(n)
	k.stack.SetHeir(&to.Context)
}
