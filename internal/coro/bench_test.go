package coro_test

import (
	"iter"
	"testing"

	"github.com/trueasync/trueasync-go/internal/coro"
)

func BenchmarkSwitchTwo(b *testing.B) {
	g := newGroup()
	n := b.N
	var a, z *coro.Context
	body := func(to **coro.Context) func(self *coro.Context) {
		return func(self *coro.Context) {
			for n > 0 {
				n--
				coro.Switch(self, *to)
			}
			if g.Live() > 1 {
				self.SetHeir(*to)
			}
		}
	}
	a, z = g.make(body(&z)), g.make(body(&a))
	b.ResetTimer()
	g.Enter(a)
}

func BenchmarkIterPull(b *testing.B) {
	next, stop := iter.Pull(func(yield func(bool) bool) {
		for yield(true) {
		}
	})
	defer stop()
	for range b.N / 2 { // two switches each
		next()
	}
}

func BenchmarkNewEnd(b *testing.B) {
	g := newGroup()
	for range b.N {
		g.Enter(g.make(func(*coro.Context) {}))
	}
}
