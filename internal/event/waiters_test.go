package event

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWaiterInTwoListsPanics(t *testing.T) {
	var a, b Waiters
	w := &Waiter{Target: funcTarget(func(error) {})}
	a.Add(w)
	require.True(t, w.Listed())
	require.Panics(t, func() { b.Add(w) })
	b.RemoveWaiter(w)
	require.True(t, w.Listed())
}

func TestCount(t *testing.T) {
	var l Waiters
	a, b := &Waiter{Target: funcTarget(nil)}, &Waiter{Target: funcTarget(nil)}
	l.Add(a)
	l.Add(b)
	require.Equal(t, 2, l.Count(func(*Waiter) bool { return true }))
	require.Equal(t, 1, l.Count(func(w *Waiter) bool { return w == b }))
}

// The list does what a slice would do, whichever are taken out.
func TestWaitersKeepTheirOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var ws Waiters
	var model []*Waiter
	all := make([]*Waiter, 8)
	for i := range all {
		all[i] = NewWaiter(func(error) {})
	}
	for range 10_000 {
		w := all[rnd.IntN(len(all))]
		if i := slices.Index(model, w); i >= 0 {
			ws.RemoveWaiter(w)
			model = slices.Delete(model, i, i+1)
		} else {
			ws.RemoveWaiter(w) // is left alone
			ws.Add(w)
			model = append(model, w)
		}
		var listed []*Waiter
		ws.Count(func(w *Waiter) bool {
			listed = append(listed, w)
			return true
		})
		require.True(t, slices.Equal(model, listed))
		require.Equal(t, len(model) == 0, ws.Empty())
	}
}
