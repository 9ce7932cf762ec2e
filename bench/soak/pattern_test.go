package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatternIsTheSameHoweverItIsCut(t *testing.T) {
	whole := make([]byte, 100)
	fill(whole, 7, 0)
	for from := range whole {
		for to := from; to <= len(whole); to++ {
			part := make([]byte, to-from)
			fill(part, 7, int64(from))
			require.Equal(t, whole[from:to], part)
		}
	}
}

func TestPatternTellsStreamsAndPlacesApart(t *testing.T) {
	b, scratch := make([]byte, 16), make([]byte, 32)
	fill(b, 7, 1000)
	require.True(t, matches(b, scratch, 7, 1000))
	require.False(t, matches(b, scratch, 8, 1000))
	require.False(t, matches(b, scratch, 7, 1001))
	b[15] ^= 1
	require.False(t, matches(b, scratch, 7, 1000))
}
