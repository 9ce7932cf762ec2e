package reactor_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

func TestTimerIsIdleUntilStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		tm := r.NewTimer(time.Second, 0)
		n := count(tm)
		require.False(t, r.Alive())
		time.Sleep(2 * time.Second)
		require.Zero(t, look(t, r))
		require.NoError(t, tm.Start())
		require.True(t, r.Alive())
		began := time.Now()
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, 1, *n)
		require.False(t, r.Alive())
	})
}

func TestTimersOfOneMomentFireInOrderOfStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		var got []int
		var timers []*reactor.Timer
		for i := range 10 {
			tm := r.NewTimer(time.Second, 0)
			tm.Subscribe(func(error) { got = append(got, i) })
			timers = append(timers, tm)
		}
		for _, i := range []int{3, 1, 4, 0, 5, 9, 2, 6, 8, 7} {
			require.NoError(t, timers[i].Start())
		}
		require.Equal(t, 10, execute(t, r))
		require.Equal(t, []int{3, 1, 4, 0, 5, 9, 2, 6, 8, 7}, got)
	})
}

func TestFiredTimerIsCompletedUntilStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		tm := r.NewTimer(time.Second, 0)
		require.NoError(t, tm.Start())
		execute(t, r)
		late := count(tm)
		require.Equal(t, 1, *late, "a late subscriber is called at once")
		require.NoError(t, tm.Start())
		again := count(tm)
		require.Zero(t, *again)
		execute(t, r)
		require.Equal(t, 1, *again)
	})
}

func TestTimerRepeatsOnItsBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		began := time.Now()
		tm := r.NewTimer(5*time.Second, 2*time.Second)
		require.Equal(t, "timer 5s every 2s", tm.String())
		var at []time.Duration
		tm.Subscribe(func(error) { at = append(at, time.Since(began)) })
		require.NoError(t, tm.Start())
		execute(t, r)
		execute(t, r)
		time.Sleep(5 * time.Second) // misses the beats at 9 and 11
		execute(t, r)
		execute(t, r)
		require.Equal(t, []time.Duration{5 * time.Second, 7 * time.Second, 12 * time.Second, 13 * time.Second}, at)
		require.True(t, r.Alive())
		tm.Stop()
		require.False(t, r.Alive())
	})
}

func TestTimerStopsItselfFromWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		tm := r.NewTimer(time.Second, time.Second)
		n := 0
		tm.Subscribe(func(error) {
			if n++; n == 3 {
				tm.Stop()
			}
		})
		require.NoError(t, tm.Start())
		for r.Alive() {
			execute(t, r)
		}
		require.Equal(t, 3, n)
	})
}

func TestTimerStoppedByAnotherOfItsBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		a, b := r.NewTimer(time.Second, 0), r.NewTimer(time.Second, 0)
		a.Subscribe(func(error) { b.Stop() })
		n := count(b)
		require.NoError(t, a.Start())
		require.NoError(t, b.Start())
		require.Equal(t, 1, execute(t, r))
		require.Zero(t, *n)
		require.False(t, r.Alive())
		require.NoError(t, b.Start())
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, 1, *n)
	})
}

func TestUnrefLetsTheLoopEnd(t *testing.T) {
	r := newReactor(t)
	a := r.NewTimer(time.Hour, 0)
	require.NoError(t, a.Start())
	require.Same(t, a, a.Unref())
	a.Unref()
	require.False(t, r.Alive())
	b := r.NewTimer(time.Hour, 0).Unref()
	require.NoError(t, b.Start())
	require.False(t, r.Alive())
	a.Stop()
	b.Stop()
	require.False(t, r.Alive())
}

func TestResetRecyclesATimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		tm := r.NewTimer(time.Second, 0)
		require.NoError(t, tm.Start())
		execute(t, r)
		tm.Reset(3 * time.Second)
		n := count(tm)
		require.Zero(t, *n, "a reset timer is pending")
		require.False(t, r.Alive())
		began := time.Now()
		require.NoError(t, tm.Start())
		time.Sleep(time.Second)
		tm.Reset(4 * time.Second)
		execute(t, r)
		require.Equal(t, 5*time.Second, time.Since(began))
		require.Equal(t, 1, *n)
	})
}

func TestNegativeAndHugeDurations(t *testing.T) {
	r := newReactor(t)
	n := count(mustStart(t, r.NewTimer(-time.Second, -1)))
	require.NoError(t, r.NewTimer(1<<63-1, 0).Unref().Start())
	require.Equal(t, 1, execute(t, r))
	require.Equal(t, 1, *n)
	require.Zero(t, look(t, r))
}

func TestClosedReactorTellsWaitersOnce(t *testing.T) {
	r := newReactor(t)
	tm := r.NewTimer(time.Hour, 0)
	var errs []error
	tm.Subscribe(func(err error) { errs = append(errs, err) })
	require.NoError(t, tm.Start())
	require.NoError(t, r.Close())
	require.Equal(t, []error{net.ErrClosed}, errs)
	require.ErrorIs(t, tm.Start(), net.ErrClosed)
	tm.Stop()
	require.False(t, r.Alive())
	require.ErrorIs(t, r.Close(), net.ErrClosed)
	_, err := r.Execute(false)
	require.ErrorIs(t, err, net.ErrClosed)
	r.Wake()
}

func TestTimersAllocateNothing(t *testing.T) {
	r := newReactor(t)
	tm := r.NewTimer(0, 0)
	hour := r.NewTimer(time.Hour, 0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = hour.Start()
		hour.Stop()
		tm.Reset(0)
		_ = tm.Start()
		if n, _ := r.Execute(false); n != 1 {
			t.Fatal("the timer did not fire")
		}
	}))
}

func TestFault_TA5_ClockIsReadAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		look(t, r)
		time.Sleep(200 * time.Millisecond) // as long computation does, between ticks
		tm := r.NewTimer(100*time.Millisecond, 0)
		began := time.Now()
		require.NoError(t, tm.Start())
		require.Zero(t, look(t, r))
		execute(t, r)
		require.Equal(t, 100*time.Millisecond, time.Since(began))
	})
}

func TestStartAtCountsFromTheMomentGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		began := time.Now()
		time.Sleep(200 * time.Millisecond)
		past, now := r.NewTimer(100*time.Millisecond, 0), r.NewTimer(100*time.Millisecond, 0)
		require.NoError(t, past.StartAt(began))
		require.NoError(t, past.StartAt(time.Now()), "the second start arms nothing anew")
		require.NoError(t, now.StartAt(time.Now()))
		require.Equal(t, 1, look(t, r))
		execute(t, r)
		require.Equal(t, 300*time.Millisecond, time.Since(began))
		r.Close()
		require.ErrorIs(t, now.StartAt(time.Now()), net.ErrClosed)
	})
}

func TestFault_LU5_ClockIsReadAfterWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t)
		first, second := r.NewTimer(time.Second, 0), r.NewTimer(0, 0)
		began := time.Now()
		first.Subscribe(func(error) {
			second.Reset(time.Second)
			require.NoError(t, second.Start())
		})
		require.NoError(t, first.Start())
		execute(t, r)
		execute(t, r)
		require.Equal(t, 2*time.Second, time.Since(began))
	})
}

func TestFault_TA6_StartsAndStopsAreExact(t *testing.T) {
	r := newReactor(t)
	a, b := r.NewTimer(time.Hour, 0), r.NewTimer(time.Hour, 0)
	mustStart(t, a)
	mustStart(t, a)
	mustStart(t, b)
	a.Stop()
	require.True(t, r.Alive())
	b.Stop()
	require.True(t, r.Alive(), "a was started twice and stopped once")
	a.Stop()
	require.False(t, r.Alive())
	a.Stop()
	a.Stop()
	b.Stop()
	mustStart(t, a)
	require.True(t, r.Alive(), "extra stops are owed to nobody")
	a.Stop()
	require.False(t, r.Alive())
}

func TestFault_TA12_UnrefdTimersKeepNothingAlive(t *testing.T) {
	r := newReactor(t)
	mustStart(t, r.NewTimer(time.Hour, time.Hour).Unref())
	require.False(t, r.Alive())
	work := r.NewTimer(0, 0)
	mustStart(t, work)
	for r.Alive() {
		execute(t, r)
	}
}

func TestFault_LU4_ZeroTimerThatRearmsItselfStarvesNobody(t *testing.T) {
	r := newReactor(t)
	greedy, other := r.NewTimer(0, 0), r.NewTimer(0, 0)
	rounds := 0
	greedy.Subscribe(func(error) {
		rounds++
		mustStart(t, greedy)
	})
	n := count(other)
	mustStart(t, greedy)
	mustStart(t, other)
	require.Equal(t, 2, look(t, r))
	require.Equal(t, 1, rounds)
	require.Equal(t, 1, *n)
	for range 100 {
		require.Equal(t, 1, execute(t, r))
	}
	greedy.Stop()
	require.False(t, r.Alive())
}
