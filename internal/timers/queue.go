// Package timers orders what is due at a moment: a heap, and a batch of what
// has come due.
//
// Times are nanoseconds on whatever clock the owner uses. Everything here
// belongs to one goroutine at a time, and nothing allocates but the growth of
// the heap.
package timers

// Node is one timer's place in a Queue. It lives inside the timer, whose
// address is Value, and must not be copied while it is queued.
type Node[T any] struct {
	Value *T

	place      int // in the heap, counted from 1; 0 is nowhere, batched is the batch
	when       int64
	next, prev *Node[T] // in the batch
}

const batched = -1

// Queued reports whether n is in a queue, be it in the heap or in the batch.
func (n *Node[T]) Queued() bool { return n.place != 0 }

// When is the moment n was last added for.
func (n *Node[T]) When() int64 { return n.when }

// slot keeps what the heap compares beside the node, so that sifting touches
// the heap's own memory only.
type slot[T any] struct {
	when int64
	seq  uint64
	node *Node[T]
}

func (s *slot[T]) before(o *slot[T]) bool {
	return s.when < o.when || s.when == o.when && s.seq < o.seq
}

// Queue holds nodes by time, those of one moment in the order of their adding.
// The zero value is empty.
//
// What is due is first moved to a batch and then taken from it, so that a node
// added meanwhile, however early its time, waits for the next batch. A node in
// the batch can still be removed.
type Queue[T any] struct {
	heap       []slot[T]
	seq        uint64
	head, tail *Node[T] // the batch
	batch      int
}

// Len is the number of nodes queued.
func (q *Queue[T]) Len() int { return len(q.heap) + q.batch }

// Add queues n, which must not be queued, for the moment when.
func (q *Queue[T]) Add(n *Node[T], when int64) {
	if n.place != 0 {
		panic("timers: a node was added twice")
	}
	q.seq++
	n.when = when
	q.heap = append(q.heap, slot[T]{when: when, seq: q.seq, node: n})
	q.up(len(q.heap) - 1)
}

// Remove takes n out of the queue, and reports whether it was there.
func (q *Queue[T]) Remove(n *Node[T]) bool {
	switch {
	case n.place == 0:
		return false
	case n.place == batched:
		q.unbatch(n)
	default:
		q.removeAt(n.place - 1)
	}
	return true
}

// Next is the moment of the earliest node, false if there is none.
func (q *Queue[T]) Next() (when int64, ok bool) {
	if q.head != nil {
		return q.head.when, true
	}
	if len(q.heap) == 0 {
		return 0, false
	}
	return q.heap[0].when, true
}

// Expire moves every node due at now to the end of the batch.
func (q *Queue[T]) Expire(now int64) {
	for len(q.heap) > 0 && q.heap[0].when <= now {
		n := q.heap[0].node
		q.removeAt(0)
		n.place, n.prev, n.next = batched, q.tail, nil
		if q.tail == nil {
			q.head = n
		} else {
			q.tail.next = n
		}
		q.tail = n
		q.batch++
	}
}

// Due takes the first node of the batch; nil says that the batch is empty.
func (q *Queue[T]) Due() *T {
	n := q.head
	if n == nil {
		return nil
	}
	q.unbatch(n)
	return n.Value
}

func (q *Queue[T]) unbatch(n *Node[T]) {
	if n.prev == nil {
		q.head = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		q.tail = n.prev
	} else {
		n.next.prev = n.prev
	}
	n.place, n.next, n.prev = 0, nil, nil
	q.batch--
}

// arity is 4: half the levels of a binary heap, and the children of a node
// share two cache lines.
const arity = 4

func (q *Queue[T]) removeAt(i int) {
	last := len(q.heap) - 1
	q.heap[i].node.place = 0
	moved := q.heap[last]
	q.heap[last] = slot[T]{}
	q.heap = q.heap[:last]
	if i == last {
		return
	}
	q.heap[i] = moved
	if i > 0 && moved.before(&q.heap[(i-1)/arity]) {
		q.up(i)
	} else {
		q.down(i)
	}
}

func (q *Queue[T]) up(i int) {
	s := q.heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if !s.before(&q.heap[parent]) {
			break
		}
		q.set(i, q.heap[parent])
		i = parent
	}
	q.set(i, s)
}

func (q *Queue[T]) down(i int) {
	s := q.heap[i]
	for {
		first := i*arity + 1
		if first >= len(q.heap) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(q.heap)); c++ {
			if q.heap[c].before(&q.heap[least]) {
				least = c
			}
		}
		if !q.heap[least].before(&s) {
			break
		}
		q.set(i, q.heap[least])
		i = least
	}
	q.set(i, s)
}

func (q *Queue[T]) set(i int, s slot[T]) {
	q.heap[i] = s
	s.node.place = i + 1
}
