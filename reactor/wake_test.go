package reactor_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

func TestWakeBeforeExecute(t *testing.T) {
	r := newReactor(t)
	r.Wake()
	r.Wake()
	require.Zero(t, look(t, r), "a look takes no wake-up")
	require.Zero(t, execute(t, r))
}

func TestWakeDuringExecute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		go func() {
			time.Sleep(time.Second)
			r.Wake()
		}()
		began := time.Now()
		require.Zero(t, execute(t, r))
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestOneWakeEndsOneExecute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		tm := r.NewTimer(time.Minute, 0)
		mustStart(t, tm)
		r.Wake()
		require.Zero(t, execute(t, r))
		require.Equal(t, 1, execute(t, r), "the wake-up is used up; the timer ends this one")
	})
}

func TestWakeFromACallback(t *testing.T) {
	r := newReactor(t)
	tm := r.NewTimer(0, 0)
	tm.Subscribe(func(error) { r.Wake() })
	mustStart(t, tm)
	require.Equal(t, 1, execute(t, r))
	require.Zero(t, execute(t, r))
}

// TestFault_LU6_NoWakeIsLost has senders hand over numbers through a counter
// and a Wake each, while the loop goes to sleep whenever it has seen them all.
// A lost wake-up blocks it for ever.
func TestFault_LU6_NoWakeIsLost(t *testing.T) { wakeStorm(t, newReactor(t)) }

func wakeStorm(t *testing.T, r *reactor.Reactor) {
	const senders, each = 8, 20_000
	var sent atomic.Int64
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range each {
				sent.Add(1)
				r.Wake()
			}
		})
	}
	for sent.Load() < senders*each {
		execute(t, r)
	}
	wg.Wait()
	require.NoError(t, r.Close())
	r.Wake()
}
