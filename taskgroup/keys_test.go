package taskgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysCountUpAndSkipWhatIsTaken(t *testing.T) {
	ks := newKeys[int](false)
	ks.addNumber() // 0
	require.False(t, ks.has(2))
	ks.add(2)
	require.True(t, ks.has(0))
	ks.addNumber() // 1
	ks.addNumber() // 3
	ks.addNumber() // 4
	var got []int
	for i := range ks.n {
		got = append(got, ks.of(i))
	}
	require.Equal(t, []int{0, 2, 1, 3, 4}, got)
}

func TestKeysThatArePlainNumbersAreNotStored(t *testing.T) {
	ks := newKeys[int](false)
	for i := range 1000 {
		ks.addNumber()
		require.Equal(t, i, ks.of(i))
	}
	require.Zero(t, ks.all.n)
	require.Empty(t, ks.taken)
}

func TestKeysThatAreDiscardedAreFreeAgain(t *testing.T) {
	ks := newKeys[string](true)
	ks.add("a")
	ks.add("b")
	require.True(t, ks.has("a"))
	require.Equal(t, "a", ks.take())
	require.True(t, ks.has("a"), "it runs")
	ks.release("a")
	require.False(t, ks.has("a"))
	require.True(t, ks.has("b"))
}

func TestKeysThatAreNoNumbersHaveNone(t *testing.T) {
	require.Nil(t, newKeys[string](false).number)
	require.Nil(t, newKeys[int64](false).number)
	require.NotNil(t, newKeys[int](true).number)
}
