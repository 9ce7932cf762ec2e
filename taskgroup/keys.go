package taskgroup

import "github.com/trueasync/trueasync-go/internal/ring"

// keys names the tasks of a group by their index, the order of their spawns.
//
// Invariants: while plain, task i has the number i as key, and nothing is stored.
// Otherwise taken holds every key that is in use, next is no less than the first
// number that is free, and the keys are in all, by index, or, where the group
// discards, in waiting, for the tasks in the queue.
type keys[K comparable] struct {
	number  func(int) K // nil where K is not int
	plain   bool
	discard bool
	n       int // tasks so far
	next    int
	taken   map[K]struct{}
	all     vec[K]
	waiting ring.Ring[K]
}

func newKeys[K comparable](discard bool) keys[K] {
	ks := keys[K]{discard: discard}
	ks.number, _ = any(func(i int) int { return i }).(func(int) K)
	if ks.plain = ks.number != nil && !discard; !ks.plain {
		ks.taken = map[K]struct{}{}
	}
	return ks
}

// has reports whether key is in use.
func (ks *keys[K]) has(key K) bool {
	if ks.plain {
		ks.explicit()
	}
	_, ok := ks.taken[key]
	return ok
}

// explicit ends plain numbering.
func (ks *keys[K]) explicit() {
	ks.plain = false
	ks.next = ks.n
	ks.taken = make(map[K]struct{}, ks.n)
	for i := range ks.n {
		key := ks.number(i)
		ks.taken[key] = struct{}{}
		ks.all.push(key)
	}
}

// addNumber gives the next task the next free number.
func (ks *keys[K]) addNumber() {
	if ks.plain {
		ks.n++
		return
	}
	for ks.has(ks.number(ks.next)) {
		ks.next++
	}
	ks.add(ks.number(ks.next))
	ks.next++
}

// add gives the next task that key, which is free.
func (ks *keys[K]) add(key K) {
	ks.n++
	ks.taken[key] = struct{}{}
	if ks.discard {
		ks.waiting.PushBack(key)
	} else {
		ks.all.push(key)
	}
}

// of returns the key of task i, where they are kept.
func (ks *keys[K]) of(i int) K {
	if ks.plain {
		return ks.number(i)
	}
	return *ks.all.at(i)
}

// take returns the key of the first task in the queue as it leaves it, where they
// are not kept.
func (ks *keys[K]) take() (key K) {
	if ks.discard {
		key, _ = ks.waiting.PopFront()
	}
	return key
}

// release frees the key of a task that has settled, where they are not kept.
func (ks *keys[K]) release(key K) {
	if ks.discard {
		delete(ks.taken, key)
	}
}
