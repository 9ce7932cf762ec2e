package scheduler

import (
	"sync"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/internal/ring"
)

// inbox is what other goroutines have for the loop: posts, submits, ends of
// off-loop work, settled futures. Items run on the loop in the order in which
// they came.
//
// A wake-up is not lost: whoever finds the queue empty wakes the reactor after
// its item is in; a Wake makes the next wait of the reactor return at once; and
// the loop looks at the queue between any two waits.
type inbox struct {
	waiting atomic.Int64 // len(items)
	mu      sync.Mutex
	items   ring.Ring[inboxItem]
	closed  bool

	// The loop's: what it has taken, and how much of that it has run.
	batch      *[inboxBudget]inboxItem // made when something has come
	at, loaded int
}

// inboxItem is one of them. refused is called in place of run when the loop has
// ended; it may be nil.
type inboxItem struct {
	run, refused func()
	microtask    bool // run counts as one
}

// some reports whether anything waits. It belongs to the loop.
func (in *inbox) some() bool { return in.waiting.Load() > 0 || in.at < in.loaded }

// enqueue has fn run on the loop. It fails when the loop has ended.
func (s *Scheduler) enqueue(fn func()) error { return s.enqueueItem(inboxItem{run: fn}) }

func (s *Scheduler) enqueueItem(item inboxItem) error {
	in := &s.inbox
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return ErrFinished
	}
	in.items.PushBack(item)
	first := in.waiting.Add(1) == 1
	r := s.reactor
	in.mu.Unlock()
	if first && r != nil {
		r.Wake()
	}
	return nil
}

// drainInbox runs the items of one batch. Should one of them end the goroutine,
// the next drain goes on after it.
func (s *Scheduler) drainInbox() {
	in := &s.inbox
	if !in.some() {
		return
	}
	in.load()
	for in.at < in.loaded {
		item := in.next()
		if item.microtask {
			s.stats.microtasks++
		}
		if err := s.guard(item.run); err != nil {
			s.unhandled(err)
		}
	}
}

// load takes a batch from the queue, unless there is some of the last one left.
func (in *inbox) load() {
	if in.at < in.loaded {
		return
	}
	if in.batch == nil {
		in.batch = new([inboxBudget]inboxItem)
	}
	in.at, in.loaded = 0, 0
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.loaded < len(in.batch) {
		item, ok := in.items.PopFront()
		if !ok {
			break
		}
		in.batch[in.loaded] = item
		in.loaded++
	}
	in.waiting.Add(-int64(in.loaded))
}

// next removes the first item of the batch.
func (in *inbox) next() (item inboxItem) {
	item, in.batch[in.at] = in.batch[in.at], item
	in.at++
	return item
}

// closeInbox refuses everything that waits and that comes.
func (s *Scheduler) closeInbox() {
	in := &s.inbox
	in.mu.Lock()
	in.closed = true
	in.mu.Unlock()
	for in.some() {
		in.load()
		for in.at < in.loaded {
			item := in.next()
			if item.refused == nil {
				continue
			}
			if err := s.guard(item.refused); err != nil {
				s.end.failures = append(s.end.failures, err)
			}
		}
	}
}

// Post queues fn to run on the loop as a microtask: between two coroutines, so
// it must be short and must not suspend. Safe from any goroutine, also before
// Run. Posts run in the order in which they were made; a panic in fn is an
// unhandled failure. After the end of Run it fails with [ErrFinished]. What is
// still queued when Run ends is dropped: posting does not keep Run from ending.
// It never suspends and never blocks.
func (s *Scheduler) Post(fn func()) error {
	if fn == nil {
		misuse("Post(nil)")
	}
	return s.enqueueItem(inboxItem{run: fn, microtask: true})
}

// PostOr is Post for a poster who waits: where Run ends before fn could run,
// dropped is called in its place, by the goroutine that called Run. One of the
// two is called, unless PostOr fails. It allocates nothing.
func (s *Scheduler) PostOr(fn, dropped func()) error {
	if fn == nil || dropped == nil {
		misuse("PostOr(nil)")
	}
	return s.enqueueItem(inboxItem{run: fn, refused: dropped, microtask: true})
}
