package event

// Waiters is a list of those who wait, in the order in which they came. The zero
// value is empty.
//
// Invariants: every listed waiter has list == this list; next leads from the head
// to the last, whose next is nil; prev leads back, and from the head to the last.
type Waiters struct{ head *Waiter }

// Empty reports whether nobody waits.
func (ws *Waiters) Empty() bool { return ws.head == nil }

// Add puts w at the end. It panics where w is in a list.
func (ws *Waiters) Add(w *Waiter) {
	if w.list != nil {
		panic("event: a waiter was added to a second list")
	}
	w.list = ws
	head := ws.head
	if head == nil {
		ws.head, w.prev = w, w
		return
	}
	w.prev, head.prev.next = head.prev, w
	head.prev = w
}

// RemoveWaiter takes w out; one that is not in this list is left alone. It is half
// of [Source] for whoever embeds the list.
func (ws *Waiters) RemoveWaiter(w *Waiter) {
	if w.list != ws {
		return
	}
	switch {
	case w == ws.head:
		ws.head = w.next
	default:
		w.prev.next = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else if ws.head != nil {
		ws.head.prev = w.prev
	}
	w.list, w.next, w.prev = nil, nil, nil
}

// Release takes all out, the first first, and fires each with err, also those that
// are added meanwhile.
//
// Should a waiter panic or call runtime.Goexit, the others are fired before that
// goes on.
func (ws *Waiters) Release(err error) {
	if ws.head != nil {
		ws.release(err)
	}
}

func (ws *Waiters) release(err error) {
	returned := false
	defer func() {
		if !returned {
			ws.release(err)
		}
	}()
	for ws.head != nil {
		w := ws.head
		ws.RemoveWaiter(w)
		w.Target.Fired(w, err)
	}
	returned = true
}

// Count returns how many of the waiters match.
func (ws *Waiters) Count(match func(w *Waiter) bool) (n int) {
	for w := ws.head; w != nil; w = w.next {
		if match(w) {
			n++
		}
	}
	return n
}

// NewWaiter returns a waiter for a function.
func NewWaiter(fn func(error)) *Waiter { return &Waiter{Target: funcTarget(fn)} }

type funcTarget func(error)

func (fn funcTarget) Fired(_ *Waiter, err error) { fn(err) }
