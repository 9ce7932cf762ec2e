package taskgroup

// fifo is a queue in chunks, which grow as those of a vec do: pushing never moves
// what is there, and a chunk that has been emptied is let go. The zero value is
// empty.
//
// Invariants: head is where the first element is in the first chunk, tail how many
// the last one holds; n counts the elements; with none there is at most one chunk.
type fifo[E any] struct {
	first, last *chunk[E]
	head, tail  int
	n           int
}

type chunk[E any] struct {
	next *chunk[E]
	es   []E
}

// Len is the number of elements.
func (f *fifo[E]) Len() int { return f.n }

// push appends e.
func (f *fifo[E]) push(e E) {
	if f.last == nil || f.tail == len(f.last.es) {
		f.grow()
	}
	f.last.es[f.tail] = e
	f.tail++
	f.n++
}

func (f *fifo[E]) grow() {
	size := minChunk
	if f.last != nil {
		size = min(2*len(f.last.es), maxChunk)
	}
	c := &chunk[E]{es: make([]E, size)}
	if f.last == nil {
		f.first = c
	} else {
		f.last.next = c
	}
	f.last, f.tail = c, 0
}

// pop removes the first element and returns it; the queue must not be empty.
func (f *fifo[E]) pop() (e E) {
	slot := &f.first.es[f.head]
	e, *slot = *slot, e
	f.head++
	f.n--
	switch {
	case f.n == 0:
		f.first, f.head, f.tail = f.last, 0, 0
	case f.head == len(f.first.es):
		f.first, f.head = f.first.next, 0
	}
	return e
}
