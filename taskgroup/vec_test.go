package taskgroup

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVecFindsEveryElementWhereItWasPut(t *testing.T) {
	var v vec[int]
	var places []*int
	for i := range 10_000 {
		v.push(i)
		places = append(places, v.at(i))
	}
	for i, p := range places {
		require.Equal(t, i, *p)
		require.Same(t, p, v.at(i), "element %d was moved", i)
	}
}

func TestVecChunksGrowToALimit(t *testing.T) {
	var v vec[int]
	for i := range 10_000 {
		v.push(i)
	}
	for k, c := range v.chunks {
		require.Len(t, c, min(minChunk<<k, maxChunk), "chunk %d", k)
	}
	require.LessOrEqual(t, len(v.chunks)*maxChunk, 10_000+8*maxChunk)
}
