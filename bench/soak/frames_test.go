package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFramesAreTheSameHoweverTheyAreCut(t *testing.T) {
	var sent []byte
	sent = appendFrame(sent, 9, 0, 0, 10)
	sent = appendFrame(sent, 9, 3, 0, 5)
	sent = appendFrame(sent, 9, 0, 10, 300)
	for cut := 1; cut < len(sent); cut++ {
		f := frames{id: 9}
		for at := 0; at < len(sent); at += cut {
			require.NoError(t, f.take(sent[at:min(at+cut, len(sent))]))
		}
		require.True(t, f.whole())
		require.Equal(t, [maxWriters]int64{310, 0, 0, 5}, f.at)
	}
}

func TestFramesThatAreWrong(t *testing.T) {
	require.ErrorIs(t, (&frames{id: 8}).take(appendFrame(nil, 9, 0, 0, 10)), errMismatch, "another connection's")
	require.ErrorIs(t, (&frames{id: 9}).take(appendFrame(nil, 9, 0, 1, 10)), errMismatch, "one is missing before")
	require.ErrorIs(t, (&frames{id: 9}).take([]byte{maxWriters, 0, 0, 1}), errMismatch, "of nobody")
	f := frames{id: 9}
	require.NoError(t, f.take(appendFrame(nil, 9, 0, 0, 10)[:13]))
	require.False(t, f.whole())
}
