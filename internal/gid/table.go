package gid

import "sync/atomic"

// Table finds what belongs to a goroutine by its identity. One writer at a time
// may Put and Delete; any goroutine may Get at any time, without a lock.
//
// A goroutine that looks itself up sees every Put and Delete that was made on it
// or happened before.
//
// Invariants: the buckets are a power of two and at least as many as the
// entries; a node never changes once it is linked.
type Table[V any] struct {
	buckets atomic.Pointer[[]atomic.Pointer[node[V]]]
	n       int
}

type node[V any] struct {
	id   uintptr
	v    V
	next *node[V]
}

// Get returns what was put under id.
func (t *Table[V]) Get(id uintptr) (v V, ok bool) {
	buckets := t.buckets.Load()
	if buckets == nil {
		return v, false
	}
	for n := bucket(*buckets, id).Load(); n != nil; n = n.next {
		if n.id == id {
			return n.v, true
		}
	}
	return v, false
}

// Put enters v under id, which must not be there.
func (t *Table[V]) Put(id uintptr, v V) {
	buckets := t.buckets.Load()
	if buckets == nil || t.n == len(*buckets) {
		buckets = t.grow(buckets)
	}
	push(*buckets, id, v)
	t.n++
}

// Delete removes what was put under id.
func (t *Table[V]) Delete(id uintptr) {
	buckets := t.buckets.Load()
	if buckets == nil {
		return
	}
	b := bucket(*buckets, id)
	var kept *node[V]
	found := false
	for n := b.Load(); n != nil; n = n.next {
		if n.id == id {
			found = true
			continue
		}
		kept = &node[V]{n.id, n.v, kept}
	}
	if found {
		b.Store(kept)
		t.n--
	}
}

// grow publishes a table of twice the size; readers finish in the old one.
func (t *Table[V]) grow(old *[]atomic.Pointer[node[V]]) *[]atomic.Pointer[node[V]] {
	size := 8
	if old != nil {
		size = 2 * len(*old)
	}
	buckets := make([]atomic.Pointer[node[V]], size)
	if old != nil {
		for i := range *old {
			for n := (*old)[i].Load(); n != nil; n = n.next {
				push(buckets, n.id, n.v)
			}
		}
	}
	t.buckets.Store(&buckets)
	return &buckets
}

func push[V any](buckets []atomic.Pointer[node[V]], id uintptr, v V) {
	b := bucket(buckets, id)
	b.Store(&node[V]{id, v, b.Load()})
}

// bucket spreads addresses, which are multiples of some hundred bytes.
func bucket[V any](buckets []atomic.Pointer[node[V]], id uintptr) *atomic.Pointer[node[V]] {
	h := uint64(id) * 0x9e3779b97f4a7c15
	return &buckets[h>>32&uint64(len(buckets)-1)]
}
