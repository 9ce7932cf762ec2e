package taskgroup

import "math/bits"

// vec is a list that grows at its end and never moves an element: in chunks, each
// twice as long as the one before. The zero value is empty.
//
// Invariant: chunk k holds the elements from (firstChunk<<k)-firstChunk on, so
// that the place of one follows from its index.
type vec[E any] struct {
	chunks [][]E
	n      int
}

// firstChunk is the length of the first chunk, a power of two.
const firstChunk = 8

// push appends e.
func (v *vec[E]) push(e E) {
	k, i := locate(v.n)
	if k == len(v.chunks) {
		v.chunks = append(v.chunks, make([]E, firstChunk<<k))
	}
	v.chunks[k][i] = e
	v.n++
}

// at returns element i, which must exist. The pointer stays good.
func (v *vec[E]) at(i int) *E {
	k, i := locate(i)
	return &v.chunks[k][i]
}

func locate(i int) (chunk, offset int) {
	at := uint(i) + firstChunk
	chunk = bits.Len(at) - bits.Len(firstChunk)
	return chunk, int(at - firstChunk<<chunk)
}
