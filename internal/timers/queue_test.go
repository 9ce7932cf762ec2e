package timers_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/timers"
)

type item struct {
	node timers.Node[item]
	id   int
}

func newItem(id int) *item {
	it := &item{id: id}
	it.node.Value = it
	return it
}

func drain(q *timers.Queue[item], now int64) []int {
	var ids []int
	q.Expire(now)
	for it := q.Due(); it != nil; it = q.Due() {
		ids = append(ids, it.id)
	}
	return ids
}

func TestOneMomentKeepsTheOrderOfAdding(t *testing.T) {
	var q timers.Queue[item]
	for i := range 100 {
		q.Add(&newItem(i).node, int64(7+i%2))
	}
	got := drain(&q, 8)
	var want []int
	for i := 0; i < 100; i += 2 {
		want = append(want, i)
	}
	for i := 1; i < 100; i += 2 {
		want = append(want, i)
	}
	require.Equal(t, want, got)
}

func TestAddedMeanwhileWaitsForTheNextBatch(t *testing.T) {
	var q timers.Queue[item]
	a := newItem(1)
	q.Add(&a.node, 5)
	q.Expire(10)
	require.Same(t, a, q.Due())
	q.Add(&a.node, 0)
	require.Nil(t, q.Due(), "the batch was filled before")
	q.Expire(10)
	require.Same(t, a, q.Due())
}

func TestRemoveFromTheBatch(t *testing.T) {
	var q timers.Queue[item]
	items := []*item{newItem(0), newItem(1), newItem(2), newItem(3)}
	for _, it := range items {
		q.Add(&it.node, 1)
	}
	q.Expire(1)
	for _, i := range []int{1, 0, 3} {
		require.True(t, q.Remove(&items[i].node))
		require.False(t, items[i].node.Queued())
		require.False(t, q.Remove(&items[i].node))
	}
	require.Equal(t, 1, q.Len())
	when, ok := q.Next()
	require.True(t, ok)
	require.EqualValues(t, 1, when)
	require.Equal(t, []int{2}, drain(&q, 1))
}

func TestAddingTwicePanics(t *testing.T) {
	var q timers.Queue[item]
	a := newItem(0)
	q.Add(&a.node, 1)
	require.Panics(t, func() { q.Add(&a.node, 2) })
	require.Equal(t, []int{0}, drain(&q, 1))
}

// TestAgainstASortedSlice adds, removes and expires at random and compares
// with the plainest model there is.
func TestAgainstASortedSlice(t *testing.T) {
	type entry struct {
		when int64
		id   int
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var q timers.Queue[item]
	var model []entry
	live := map[int]*item{}
	now := int64(0)
	for id := range 20_000 {
		switch rnd.IntN(5) {
		case 0, 1, 2:
			it := newItem(id)
			when := now + rnd.Int64N(50)
			q.Add(&it.node, when)
			require.Equal(t, when, it.node.When())
			live[id] = it
			model = append(model, entry{when, id})
		case 3:
			if len(model) == 0 {
				continue
			}
			i := rnd.IntN(len(model))
			require.True(t, q.Remove(&live[model[i].id].node))
			model = slices.Delete(model, i, i+1)
		case 4:
			now += rnd.Int64N(10)
			slices.SortStableFunc(model, func(a, b entry) int { return int(a.when - b.when) })
			var want []int
			for len(model) > 0 && model[0].when <= now {
				want = append(want, model[0].id)
				model = model[1:]
			}
			require.Equal(t, want, drain(&q, now))
		}
		require.Equal(t, len(model), q.Len())
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	var q timers.Queue[item]
	items := make([]*item, 64)
	for i := range items {
		items[i] = newItem(i)
	}
	work := func() {
		for i, it := range items {
			q.Add(&it.node, int64(i%7))
		}
		q.Remove(&items[9].node)
		q.Expire(100)
		for q.Due() != nil {
		}
	}
	work()
	require.Zero(t, testing.AllocsPerRun(100, work))
}
