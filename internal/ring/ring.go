// Package ring is the queue under the run queue, the microtasks and the
// waiting lines: a double-ended queue over a power-of-two ring buffer.
package ring

import "fmt"

const (
	// minCap is the smallest buffer. It is a power of two.
	minCap = 16
	// quietLooks is how many looks in a row must find the ring nearly empty
	// before the buffer halves.
	quietLooks = 16
)

// Ring is a double-ended queue. The zero value is empty and ready to use. It
// is not safe for concurrent use.
//
// The buffer doubles when it is full. It halves after it has been less than an
// eighth full for four times as many pushes as it has slots, and never if it
// was half full within that time: a load that comes in bursts pays for its
// size once, and a length that hovers about a boundary moves nothing.
//
// Popping does not look at the size at all, and pushing only when tail meets
// stop, so that both are a few instructions; look is where the rest happens.
//
// Invariants: len(buf) is 0 or a power of two >= minCap, and mask is
// len(buf)-1; head and tail count up (and wrap) freely, tail-head is the
// length, and element i is buf[(head+i)&mask]; every other slot holds T's zero
// value, so that a popped element is not kept alive; tail <= stop <=
// head+len(buf), hence a push with tail != stop has room.
type Ring[T any] struct {
	buf              []T
	head, tail, mask uint

	stop  uint // the tail at which the next look is due
	quiet int  // looks in a row that found less than an eighth
}

// Len is the number of elements.
func (r *Ring[T]) Len() int { return int(r.tail - r.head) }

// PushBack appends v.
func (r *Ring[T]) PushBack(v T) {
	if r.tail == r.stop {
		r.look()
	}
	r.buf[r.tail&r.mask] = v
	r.tail++
}

// PushFront puts v before all others.
func (r *Ring[T]) PushFront(v T) {
	if r.tail == r.stop {
		r.look()
	}
	r.head--
	r.stop-- // head moved, and this push brings the next look nearer
	r.buf[r.head&r.mask] = v
}

// PopFront removes the first element and returns it; ok is false where there
// is none.
func (r *Ring[T]) PopFront() (v T, ok bool) {
	if r.head == r.tail {
		return v, false
	}
	i := r.head & r.mask
	v, r.buf[i] = r.buf[i], v
	r.head++
	return v, true
}

// Rotate removes the first element and appends v, in one; where there is no element
// the first is v. It is no push that counts for the size: the length stays.
func (r *Ring[T]) Rotate(v T) (first T) {
	if r.head == r.tail {
		return v
	}
	i := r.head & r.mask
	first, r.buf[i] = r.buf[i], first
	r.buf[r.tail&r.mask] = v
	r.head++
	r.tail++
	r.stop++
	return first
}

// PopBack removes the last element and returns it; ok is false where there is
// none.
func (r *Ring[T]) PopBack() (v T, ok bool) {
	if r.head == r.tail {
		return v, false
	}
	r.tail--
	r.stop-- // the pushes until the next look stay the same
	i := r.tail & r.mask
	v, r.buf[i] = r.buf[i], v
	return v, true
}

// At returns element i, counted from the front. It panics where there is none.
func (r *Ring[T]) At(i int) T { return *r.slot(i) }

// Swap exchanges elements i and j, counted from the front. It panics where
// either does not exist.
func (r *Ring[T]) Swap(i, j int) {
	a, b := r.slot(i), r.slot(j)
	*a, *b = *b, *a
}

// Clear removes all elements and lets the buffer go.
func (r *Ring[T]) Clear() { *r = Ring[T]{} }

func (r *Ring[T]) slot(i int) *T {
	if uint(i) >= r.tail-r.head {
		panic(fmt.Sprintf("ring: index %d out of range with length %d", i, r.Len()))
	}
	return &r.buf[(r.head+uint(i))&r.mask]
}

// look fits the size of the buffer to what it holds, leaving room for at least
// one push, and sets the time of the next look.
//
// Between two looks of a buffer that can shrink lie at most a quarter of its
// slots in pushes. Filling it from an eighth to a half takes more pushes than
// that, so a ring that was half full has been seen above an eighth.
//
//go:noinline
func (r *Ring[T]) look() {
	size, n := uint(len(r.buf)), r.tail-r.head
	switch {
	case n == size:
		r.resize(max(minCap, 2*size))
	case n >= size/8:
		r.quiet = 0
	default:
		if r.quiet++; r.quiet >= quietLooks && size > minCap {
			r.resize(size / 2)
		}
	}
	room := uint(len(r.buf)) - n
	if len(r.buf) > minCap {
		room = min(room, uint(len(r.buf))/4)
	}
	r.stop = r.tail + room
}

// resize moves the elements, in order, to the start of a buffer of the given
// size, which holds them all.
func (r *Ring[T]) resize(size uint) {
	buf := make([]T, size)
	n := r.tail - r.head
	if n > 0 {
		from := r.head & r.mask
		first := copy(buf[:n], r.buf[from:])
		copy(buf[first:n], r.buf)
	}
	r.buf, r.mask, r.head, r.tail, r.quiet = buf, size-1, 0, n, 0
}
