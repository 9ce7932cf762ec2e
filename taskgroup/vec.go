package taskgroup

import "math/bits"

// vec is a list that grows at its end and never moves an element: in chunks, each
// twice as long as the one before, up to a limit. The zero value is empty.
//
// Invariant: the place of an element follows from its index. Chunk k of the
// growing ones begins at (1<<k - 1) * minChunk; together they hold growing
// elements, and every later one holds maxChunk.
type vec[E any] struct {
	chunks [][]E
	n      int
}

const (
	// minChunk is the length of the first chunk, maxChunk that of the longest;
	// both are powers of two.
	minChunk = 8
	maxChunk = 512

	growing = 2*maxChunk - minChunk
)

// push appends e.
func (v *vec[E]) push(e E) {
	k, i := locate(v.n)
	if k == len(v.chunks) {
		v.chunks = append(v.chunks, make([]E, min(minChunk<<min(k, 16), maxChunk)))
	}
	v.chunks[k][i] = e
	v.n++
}

// at returns element i, which must exist. The pointer stays good.
func (v *vec[E]) at(i int) *E {
	k, i := locate(i)
	return &v.chunks[k][i]
}

// locate returns the chunk of element i, and where it is in that.
func locate(i int) (chunk, offset int) {
	if i >= growing {
		i -= growing
		return bits.Len(growing/minChunk) + i/maxChunk, i % maxChunk
	}
	at := uint(i) + minChunk
	chunk = bits.Len(at) - bits.Len(minChunk)
	return chunk, int(at - minChunk<<chunk)
}
