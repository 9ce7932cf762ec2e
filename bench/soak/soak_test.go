package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSoak(t *testing.T) {
	s := Soak{
		Log:    t.Output(),
		Seed:   uint64(time.Now().UnixNano()),
		Wave:   250 * time.Millisecond,
		AtOnce: 64,
		Crowd:  300,
		Stall:  time.Minute, // of a machine that does other things as well
	}
	require.NoError(t, s.Run(context.Background()))
	require.Greater(t, s.connections, 2*s.Crowd/2)
	require.Positive(t, s.bytes)
	require.Positive(t, s.cancelled)
}

func TestSoakEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := Soak{Log: t.Output(), Wave: time.Hour, AtOnce: 2, Crowd: 2, Stall: time.Minute}
	require.ErrorIs(t, s.Run(ctx), context.Canceled)
}

func TestLeftTellsWhatIsLeft(t *testing.T) {
	first := footprint{descriptors: 5, goroutines: 3}
	require.NoError(t, left(first, footprint{descriptors: 5, goroutines: 2}))
	require.ErrorContains(t, left(first, footprint{descriptors: 6, goroutines: 3}), "6 descriptors")
	require.ErrorContains(t, left(first, footprint{descriptors: 4, goroutines: 3}), "4 descriptors")
	require.ErrorContains(t, left(first, footprint{descriptors: 5, goroutines: 4}), "goroutine profile")
}

func TestFaultsFailAWave(t *testing.T) {
	w := newWave("mixed", 1, 1, 10)
	require.NoError(t, faultsOf(w, w.faults))
	w.fault("connection %d", 7)
	require.ErrorContains(t, faultsOf(w, w.faults), "connection 7")
}
