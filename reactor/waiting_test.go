package reactor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

// Waiting is true while Execute is blocked, and not while a waiter runs in it.
func TestWaiting(t *testing.T) {
	r, err := reactor.New()
	require.NoError(t, err)
	require.False(t, r.Waiting())
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for !r.Waiting() {
		}
		r.Wake()
	}()
	_, err = r.Execute(false)
	require.NoError(t, err)
	<-seen
	require.False(t, r.Waiting())
	timer := r.NewTimer(0, 0)
	within := true
	timer.Subscribe(func(error) { within = r.Waiting() })
	require.NoError(t, timer.Start())
	for within {
		_, err = r.Execute(false)
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
}
