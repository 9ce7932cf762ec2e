package microtask

// Task is one callback. It is reference counted: whoever keeps a *Task, to
// queue it again or to cancel it later, owns one reference, and a queue owns
// one for each time the task is in it. Dtor runs once, when the last reference
// is released.
//
// A Task made by [New] starts with its maker's reference. One written as a
// literal, &Task{Handler: f}, starts with none: the queue it is pushed to is
// its only owner, and releases it after its run.
//
// A Task must not be copied once it has been pushed.
type Task struct {
	// Handler is what the task does. Its error stops the drain that ran it.
	Handler func() error
	// Dtor, where it is not nil, is called at the last release, run or not.
	Dtor func()

	// refs is gone from the last release on, so that what comes later is
	// found out, also from within Dtor.
	refs      int
	cancelled bool
}

const gone = -1

// New returns a task with one reference, the caller's. A nil dtor is none; a
// nil handler panics.
func New(handler func() error, dtor func()) *Task {
	if handler == nil {
		panic("microtask: New with a nil handler")
	}
	return &Task{Handler: handler, Dtor: dtor, refs: 1}
}

// Cancel makes queues skip the task. Where it is queued it stays in its place,
// and is removed and released in turn; where it is not, [Queue.Push] will do
// nothing. A handler that is running is not interrupted. A second call does
// nothing.
func (t *Task) Cancel() { t.cancelled = true }

// Cancelled reports whether Cancel was called, or the task was discarded.
func (t *Task) Cancelled() bool { return t.cancelled }

// Retain adds a reference. It panics after the last release.
func (t *Task) Retain() {
	if t.refs == gone {
		panic("microtask: Retain of a task after its last Release")
	}
	t.refs++
}

// Release drops a reference, and runs Dtor when it was the last. It panics
// where there is none to drop.
func (t *Task) Release() {
	if t.refs <= 0 {
		panic("microtask: Release of a task that has no reference left")
	}
	if t.refs--; t.refs > 0 {
		return
	}
	t.refs = gone
	if t.Dtor != nil {
		t.Dtor()
	}
}
