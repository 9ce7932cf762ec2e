package microtask

import "github.com/trueasync/trueasync-go/internal/ring"

// Queue is a FIFO of tasks over a growing ring buffer. The zero value is ready
// to use. It is not safe for concurrent use: the scheduler's loop owns it.
// Handlers and Dtors may call any of its methods.
type Queue struct {
	tasks ring.Ring[*Task]
}

// Push appends t and takes a reference. Pushing a cancelled task does nothing.
// A nil task, one without a Handler, and one whose last reference was released
// panic.
func (q *Queue) Push(t *Task) {
	if t == nil || t.Handler == nil {
		panic("microtask: Push of a task without a handler")
	}
	if t.cancelled {
		return
	}
	t.Retain()
	q.tasks.PushBack(t)
}

// Len is the number of tasks waiting, cancelled ones included.
func (q *Queue) Len() int { return q.tasks.Len() }

// Drain runs tasks in FIFO order, those that are pushed meanwhile included, up
// to budget of them (budget <= 0: no bound), and reports how many it ran. The
// one that failed counts; cancelled ones, which it removes and releases on its
// way, do not.
//
// A task is out of the queue before its handler runs and is released after it.
// The first error stops the drain; what is left stays queued for the next one.
// A panic or a runtime.Goexit of a handler passes through Drain in the same
// way: its task is released, the rest stays queued.
func (q *Queue) Drain(budget int) (ran int, err error) {
	for budget <= 0 || ran < budget {
		t, ok := q.tasks.PopFront()
		if !ok {
			break
		}
		if t.cancelled {
			t.Release()
			continue
		}
		ran++
		if err := run(t); err != nil {
			return ran, err
		}
	}
	return ran, nil
}

// run is a function of its own so that the release survives a panic.
func run(t *Task) error {
	defer t.Release()
	return t.Handler()
}

// Discard cancels and releases everything queued, what Dtors push meanwhile
// included, without running it, and reports how many tasks there were. A panic
// of a Dtor passes through it; the rest stays queued.
func (q *Queue) Discard() int {
	n := 0
	for {
		t, ok := q.tasks.PopFront()
		if !ok {
			return n
		}
		n++
		t.cancelled = true
		t.Release()
	}
}
