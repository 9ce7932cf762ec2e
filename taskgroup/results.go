package taskgroup

import (
	"iter"
	"maps"
	"slices"
	"sync"
)

// Results are successes in the order in which the tasks were spawned. They do not
// change, belong to no loop, and may be read by any goroutine.
type Results[K comparable, T any] struct {
	values []T
	keys   []K         // of the values; nil where they are the numbers from 0 on
	number func(int) K // the key of the i-th then

	once  sync.Once
	index map[K]int // made when first asked for
}

// GetResults returns the successes there are now.
func (g *Group[K, T]) GetResults() *Results[K, T] {
	g.mustLoop("GetResults")
	return g.results(g.keys.n)
}

// results are the successes among the first n tasks.
func (g *Group[K, T]) results(n int) *Results[K, T] {
	r := &Results[K, T]{}
	if g.cfg.discard || g.outcomes.succeeded == 0 {
		return r
	}
	size := min(n, g.outcomes.succeeded)
	r.values = make([]T, 0, size)
	numbered := g.keys.plain && g.outcomes.succeeded == g.keys.n
	if numbered {
		r.number = g.keys.number
	} else {
		r.keys = make([]K, 0, size)
	}
	for i := range n {
		c := g.outcomes.cells.at(i)
		if c.state != succeeded {
			continue
		}
		r.values = append(r.values, c.v)
		if !numbered {
			r.keys = append(r.keys, g.keys.of(i))
		}
	}
	return r
}

// Len is the number of successes.
func (r *Results[K, T]) Len() int { return len(r.values) }

// Get returns the value of the task with that key; ok is false where that did not
// succeed.
func (r *Results[K, T]) Get(key K) (v T, ok bool) {
	r.once.Do(func() {
		r.index = make(map[K]int, len(r.values))
		for i := range r.values {
			r.index[r.key(i)] = i
		}
	})
	i, ok := r.index[key]
	if !ok {
		return v, false
	}
	return r.values[i], true
}

// key is that of the i-th value.
func (r *Results[K, T]) key(i int) K {
	if r.keys == nil {
		return r.number(i)
	}
	return r.keys[i]
}

// Values are the values alone. The slice is the caller's.
func (r *Results[K, T]) Values() []T { return slices.Clone(r.values) }

// Keys are the keys of the tasks that succeeded. The slice is the caller's.
func (r *Results[K, T]) Keys() []K {
	keys := make([]K, len(r.values))
	for i := range keys {
		keys[i] = r.key(i)
	}
	return keys
}

// Map are the values by key. The map is the caller's.
func (r *Results[K, T]) Map() map[K]T { return maps.Collect(r.All()) }

// All yields key and value of each.
func (r *Results[K, T]) All() iter.Seq2[K, T] {
	return func(yield func(K, T) bool) {
		for i, v := range r.values {
			if !yield(r.key(i), v) {
				return
			}
		}
	}
}
