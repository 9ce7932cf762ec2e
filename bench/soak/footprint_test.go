package main

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescriptorsAreCounted(t *testing.T) {
	before := descriptors()
	if before == 0 {
		t.Skip("needs a system that lists descriptors in /proc/self/fd or /dev/fd")
	}
	f, err := os.Open(os.Args[0])
	require.NoError(t, err)
	require.Equal(t, before+1, descriptors())
	require.NoError(t, f.Close())
	require.Equal(t, before, descriptors())
}

func TestSettledWaitsForGoroutinesToEnd(t *testing.T) {
	want := footprint{descriptors: descriptors(), goroutines: runtime.NumGoroutine()}
	end := make(chan struct{})
	go func() { <-end }()
	close(end)
	require.LessOrEqual(t, settled(want).goroutines, want.goroutines)
}

func TestMemoryGrowsWithWhatIsLive(t *testing.T) {
	before := memory()
	held := make([]byte, 32<<20)
	require.Greater(t, memory(), before+16<<20)
	runtime.KeepAlive(held)
}
