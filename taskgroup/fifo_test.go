package taskgroup

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFifoIsASliceThatIsPoppedAtItsFront(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var f fifo[int]
	var model []int
	for step := range 100_000 {
		pushing := 3 + 4*(step/10_000%2) // of 10: it grows, and shrinks
		if rng.IntN(10) < pushing {
			f.push(step)
			model = append(model, step)
		} else if len(model) > 0 {
			require.Equal(t, model[0], f.pop())
			model = model[1:]
		}
		require.Equal(t, len(model), f.Len())
	}
}

func TestFifoKeepsNothingOfWhatWasPopped(t *testing.T) {
	var f fifo[*int]
	for range 5 * maxChunk {
		f.push(new(int))
	}
	for f.Len() > 0 {
		f.pop()
	}
	require.Same(t, f.first, f.last)
	require.Nil(t, f.first.next)
	for _, e := range f.first.es {
		require.Nil(t, e)
	}
}
