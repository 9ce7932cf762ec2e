package scheduler

import (
	"context"
	"sync"

	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/reactor"
)

// arrivals gives futures in the order in which they settle, those that have from
// the start in the order of the arguments. It serves a coroutine or a blocking
// goroutine, whichever asks.
type arrivals struct {
	c     *Coroutine // nil for a goroutine that blocks
	err   error      // why it is no coroutine
	loop  bool       // it is the loop of one of them all the same, and must not block
	nodes []arrival
	hint  event.List    // fires on c's loop when something has come
	bell  chan struct{} // the same for a goroutine that blocks

	mu   sync.Mutex
	came ring.Ring[int]
}

// arrival is the place of one of the futures.
type arrival struct {
	event.Waiter
	a     *arrivals
	f     *future
	i     int
	undo  func() (told bool)
	holds bool
}

// Fired implements event.Target.
func (n *arrival) Fired(*event.Waiter, error) { n.arrive() }

func (n *arrival) leaveList() (told bool) {
	told = !n.Listed()
	n.f.list.RemoveWaiter(&n.Waiter)
	return told
}

func arrivalsOf[T any](ctx context.Context, fs []*Future[T]) *arrivals {
	a := &arrivals{nodes: make([]arrival, len(fs))}
	if a.c, a.err = own(ctx); a.err != nil {
		a.bell = make(chan struct{}, 1)
	}
	for i, f := range fs {
		if a.c == nil && f.s != nil && f.s.OnLoop() {
			a.loop = true
		}
		n := &a.nodes[i]
		n.a, n.f, n.i = a, &f.future, i
		n.Target = n
		n.watch()
	}
	return a
}

func (n *arrival) watch() {
	a, f := n.a, n.f
	switch {
	case f.phase.Load() == settled:
		n.arrive()
	case a.c != nil && a.c.s == f.s:
		if n.holds = f.external; n.holds {
			a.c.s.holdOutside(1)
		}
		f.list.AddWaiter(&n.Waiter)
		n.undo = n.leaveList
	default:
		w := &otherWaiter{notify: n.arrive}
		if a.c != nil {
			n.holds = true
			a.c.s.holdOutside(1)
			w.notify = func() { _ = a.c.s.enqueue(n.arrive) } // a loop that has ended awaits nothing
		}
		if !f.addOther(w) {
			n.arrive()
			return
		}
		n.undo = func() bool { return !f.others.remove(w) }
	}
}

// arrive notes that the future has settled.
func (n *arrival) arrive() {
	a := n.a
	a.mu.Lock()
	a.came.PushBack(n.i)
	a.mu.Unlock()
	if a.c != nil {
		n.letGo()
		a.hint.Fire(nil)
		return
	}
	select {
	case a.bell <- struct{}{}:
	default:
	}
}

// next is the index of the next to have settled.
func (a *arrivals) next(ctx context.Context) (int, error) {
	for {
		a.mu.Lock()
		i, ok := a.came.PopFront()
		a.mu.Unlock()
		if ok {
			return i, nil
		}
		if err := a.wait(ctx); err != nil {
			return 0, err
		}
	}
}

func (a *arrivals) wait(ctx context.Context) error {
	if a.c != nil {
		events := [1]reactor.Event{a}
		_, err := a.c.suspend(ctx, events[:])
		if err != nil && a.came.Len() > 0 {
			a.c.overrule(err)
			return nil // what has settled is given, whatever else came
		}
		return err
	}
	if c := current(ctx); a.loop || c != nil && c.s.OnLoop() {
		return a.err
	}
	select {
	case <-a.bell:
		return nil
	case <-ctx.Done():
		return endOfForeign(ctx)
	}
}

// passOver counts all of the futures as looked at.
func (a *arrivals) passOver() {
	for i := range a.nodes {
		a.nodes[i].f.seen.Store(true)
	}
}

// stop ends the watch. What has come was looked at, or passed over, before, or not
// at all.
func (a *arrivals) stop() {
	for i := range a.nodes {
		n := &a.nodes[i]
		if n.undo != nil && n.undo() {
			n.f.untell()
		}
		n.letGo()
	}
}

// letGo ends the hold on the loop that the wait for the future is.
func (n *arrival) letGo() {
	if n.holds {
		n.holds = false
		n.a.c.s.holdOutside(-1)
	}
}

func (a *arrivals) Start() error                           { return nil }
func (a *arrivals) Stop()                                  {}
func (a *arrivals) Subscribe(fn func(error)) (undo func()) { return a.hint.Subscribe(fn) }
func (a *arrivals) AddWaiter(w *event.Waiter)              { a.hint.AddWaiter(w) }
func (a *arrivals) RemoveWaiter(w *event.Waiter)           { a.hint.RemoveWaiter(w) }
func (a *arrivals) String() string                         { return "futures" }
