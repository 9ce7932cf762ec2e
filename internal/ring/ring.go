// Package ring is the queue under the run queue, the microtasks and the
// waiting lines: a double-ended queue over a power-of-two ring buffer.
package ring

import "fmt"

// minCap is the smallest buffer, and what an empty ring shrinks back to. It is
// a power of two.
const minCap = 16

// Ring is a double-ended queue. The zero value is empty and ready to use. It
// is not safe for concurrent use.
//
// The buffer doubles when it is full. It halves only after the ring has been
// less than an eighth full for as many pops as the buffer has slots, so that a
// load that comes in bursts pays for its size once, and a ring whose length
// hovers about a boundary never moves at all.
//
// Invariants: len(buf) is 0 or a power of two >= minCap; element i is
// buf[(head+i)&(len(buf)-1)]; every other slot holds T's zero value, so that a
// popped element is not kept alive; n <= limit <= len(buf).
type Ring[T any] struct {
	buf  []T
	head int
	n    int

	// limit is the length at which a push leaves the fast path: low while a
	// count of quiet pops is going on, which that push ends, or len(buf).
	limit int
	// low is the length under which a pop counts as quiet: len(buf)/8, and 0
	// where the buffer cannot shrink further.
	low   int
	quiet int
}

// Len is the number of elements.
func (r *Ring[T]) Len() int { return r.n }

// PushBack appends v.
func (r *Ring[T]) PushBack(v T) {
	if r.n == r.limit {
		r.atLimit()
	}
	r.buf[(r.head+r.n)&(len(r.buf)-1)] = v
	r.n++
}

// PushFront puts v before all others.
func (r *Ring[T]) PushFront(v T) {
	if r.n == r.limit {
		r.atLimit()
	}
	r.head = (r.head - 1) & (len(r.buf) - 1)
	r.buf[r.head] = v
	r.n++
}

// PopFront removes the first element and returns it; ok is false where there
// is none.
func (r *Ring[T]) PopFront() (v T, ok bool) {
	if r.n == 0 {
		return v, false
	}
	v, r.buf[r.head] = r.buf[r.head], v
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
	if r.n < r.low {
		r.underLow()
	}
	return v, true
}

// PopBack removes the last element and returns it; ok is false where there is
// none.
func (r *Ring[T]) PopBack() (v T, ok bool) {
	if r.n == 0 {
		return v, false
	}
	r.n--
	p := r.slot(r.n)
	v, *p = *p, v
	if r.n < r.low {
		r.underLow()
	}
	return v, true
}

// At returns element i, counted from the front. It panics where there is none.
func (r *Ring[T]) At(i int) T {
	r.check(i)
	return *r.slot(i)
}

// Swap exchanges elements i and j, counted from the front. It panics where
// either does not exist.
func (r *Ring[T]) Swap(i, j int) {
	r.check(i)
	r.check(j)
	a, b := r.slot(i), r.slot(j)
	*a, *b = *b, *a
}

// Clear removes all elements and lets the buffer go.
func (r *Ring[T]) Clear() { *r = Ring[T]{} }

func (r *Ring[T]) slot(i int) *T { return &r.buf[(r.head+i)&(len(r.buf)-1)] }

func (r *Ring[T]) check(i int) {
	if uint(i) >= uint(r.n) {
		panic(fmt.Sprintf("ring: index %d out of range with length %d", i, r.n))
	}
}

// atLimit makes room for one more element, or ends a count of quiet pops.
//
//go:noinline
func (r *Ring[T]) atLimit() {
	if r.n == len(r.buf) {
		r.resize(max(minCap, 2*len(r.buf)))
		return
	}
	r.quiet, r.limit = 0, len(r.buf)
}

// underLow counts a pop that left the ring nearly empty, and halves the buffer
// once there were as many in a row as it has slots.
//
//go:noinline
func (r *Ring[T]) underLow() {
	r.quiet++
	r.limit = r.low
	if r.quiet >= len(r.buf) {
		r.resize(len(r.buf) / 2)
	}
}

// resize moves the elements, in order, to the start of a buffer of the given
// size, which holds them all.
func (r *Ring[T]) resize(size int) {
	buf := make([]T, size)
	first := copy(buf, r.buf[r.head:min(r.head+r.n, len(r.buf))])
	copy(buf[first:], r.buf[:r.n-first])
	r.buf, r.head, r.limit, r.quiet = buf, 0, size, 0
	r.low = 0
	if size > minCap {
		r.low = size / 8
	}
}
