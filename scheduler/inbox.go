package scheduler

import (
	"sync"
	"sync/atomic"
)

// inbox is what other goroutines have for the loop: posts, submits, ends of
// off-loop work, settled futures. Items run on the loop in the order in which
// they came.
//
// A wake-up is not lost: an item is in the queue before Wake is called, a Wake
// makes the next wait of the reactor return at once, and the loop looks at the
// queue between any two waits.
type inbox struct {
	waiting atomic.Int64 // items that have come and not been taken
	mu      sync.Mutex
	items   []inboxItem
	closed  bool

	taken []inboxItem // the loop's: what it has taken from items
	at    int
}

// inboxItem is one of them. refused is called in its place when the loop has
// ended; it may be nil.
type inboxItem struct {
	run, refused func()
}

// some reports whether anything waits.
func (in *inbox) some() bool { return in.waiting.Load() > 0 }

// enqueue has fn run on the loop. It fails when the loop has ended.
func (s *Scheduler) enqueue(fn func()) error { return s.enqueueItem(inboxItem{run: fn}) }

func (s *Scheduler) enqueueItem(item inboxItem) error {
	in := &s.inbox
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return ErrFinished
	}
	in.items = append(in.items, item)
	first := in.waiting.Add(1) == 1
	r := s.reactor
	in.mu.Unlock()
	if first && r != nil {
		r.Wake()
	}
	return nil
}

// drain runs up to budget items.
func (in *inbox) drain(s *Scheduler, budget int) {
	if !in.some() {
		return
	}
	for range budget {
		item, ok := in.take()
		if !ok {
			return
		}
		if err := s.guard(item.run); err != nil {
			s.unhandled(err)
		}
	}
}

// take removes the first item.
func (in *inbox) take() (item inboxItem, ok bool) {
	if in.at == len(in.taken) {
		clear(in.taken)
		in.mu.Lock()
		in.taken, in.items = in.items, in.taken[:0]
		in.mu.Unlock()
		in.at = 0
		if len(in.taken) == 0 {
			return item, false
		}
	}
	item = in.taken[in.at]
	in.taken[in.at] = inboxItem{}
	in.at++
	in.waiting.Add(-1)
	return item, true
}

// close refuses everything that waits and that comes.
func (in *inbox) close() {
	in.mu.Lock()
	in.closed = true
	in.mu.Unlock()
	for {
		item, ok := in.take()
		if !ok {
			return
		}
		if item.refused != nil {
			item.refused()
		}
	}
}

// Post queues fn to run on the loop as a microtask: between two coroutines, so
// it must be short and must not suspend. Safe from any goroutine, also before
// Run. Posts run in the order in which they were made; a panic in fn is an
// unhandled failure. After the end of Run it fails with [ErrFinished]. What is
// still queued when Run ends is dropped: posting does not keep Run from ending.
func (s *Scheduler) Post(fn func()) error {
	if fn == nil {
		misuse("Post(nil)")
	}
	return s.enqueueItem(inboxItem{run: func() {
		s.stats.microtasks++
		fn()
	}})
}

// PostOr is Post for a poster who waits: where Run ends before fn could run,
// dropped is called in its place, by the goroutine that called Run. One of the
// two is called, unless PostOr fails. It allocates nothing.
func (s *Scheduler) PostOr(fn, dropped func()) error {
	if fn == nil || dropped == nil {
		misuse("PostOr(nil)")
	}
	return s.enqueueItem(inboxItem{run: fn, refused: dropped})
}
