package reactor_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

func TestVirtualClockGivesDescriptorsAChance(t *testing.T) {
	clock := newVirtualClock()
	began := clock.now
	r := newReactor(t, reactor.WithClock(clock))
	tm := r.NewTimer(time.Hour, 0)
	n := count(tm)
	a, b := socketPair(t, r)
	buf := make([]byte, 1)
	for range 3 { // what is there comes before the clock moves
		q := a.Read(buf)
		tm.Reset(time.Hour)
		mustStart(t, tm)
		require.NoError(t, finish(t, r, b.Write([]byte("x"))))
		require.NoError(t, finish(t, r, q))
		require.Zero(t, *n)
		require.Equal(t, began, clock.now)
		tm.Stop()
	}
	q := a.Read(buf)
	mustStart(t, tm)
	real := time.Now()
	require.Equal(t, 1, execute(t, r), "nothing comes: the clock moves on")
	require.GreaterOrEqual(t, time.Since(real), time.Millisecond)
	require.Equal(t, began.Add(time.Hour), clock.now)
	require.Equal(t, 1, *n)
	q.Cancel()
}

func TestVirtualClockWaitsForFiles(t *testing.T) {
	clock := newVirtualClock()
	began := clock.now
	r := newReactor(t, reactor.WithClock(clock))
	h, _ := tempFile(t, r)
	tm := r.NewTimer(time.Hour, 0)
	n := count(tm)
	mustStart(t, tm)
	g := newGate()
	var q reactor.Request
	h.Do(&q, g.pass)
	<-g.entered
	go func() { close(g.leave) }()
	require.NoError(t, finish(t, r, &q))
	require.Equal(t, began, clock.now)
	require.Zero(t, *n)
	execute(t, r)
	require.Equal(t, began.Add(time.Hour), clock.now)
}

// A signal, like a descriptor, comes in real time.
func TestVirtualClockGivesSignalsAChance(t *testing.T) {
	clock := newVirtualClock()
	r := newReactor(t, reactor.WithClock(clock))
	s := newSignal(t, r, syscall.SIGUSR1)
	mustStart(t, s)
	mustStart(t, r.NewTimer(time.Hour, 0))
	real := time.Now()
	require.Equal(t, 1, execute(t, r))
	require.GreaterOrEqual(t, time.Since(real), time.Millisecond)
	s.Stop()
}
