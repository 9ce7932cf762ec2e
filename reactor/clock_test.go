package reactor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

// virtualClock stands still until it is advanced.
type virtualClock struct{ now time.Time }

func (c *virtualClock) Now() time.Time        { return c.now }
func (c *virtualClock) AdvanceTo(t time.Time) { c.now = t }
func newVirtualClock() *virtualClock {
	return &virtualClock{time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// slowClock is real time at half the speed.
type slowClock struct{ base time.Time }

func (c *slowClock) Now() time.Time { return c.base.Add(time.Since(c.base) / 2) }

func TestVirtualClockJumpsToTheNextTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newVirtualClock()
		began := clock.now
		r := newReactor(t, reactor.WithClock(clock))
		mustStart(t, r.NewTimer(3*time.Hour, 0))
		mustStart(t, r.NewTimer(time.Hour, 0))
		real := time.Now()
		at, ok := r.NextTimer()
		require.True(t, ok)
		require.Equal(t, began.Add(time.Hour), at)
		require.Zero(t, look(t, r), "a look does not move the clock")
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, began.Add(time.Hour), r.Now())
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, began.Add(3*time.Hour), r.Now())
		require.Zero(t, time.Since(real))
		_, ok = r.NextTimer()
		require.False(t, ok)
	})
}

func TestVirtualClockStandsWhileOutsideWorkIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newVirtualClock()
		pending := true
		r := newReactor(t, reactor.WithClock(clock), reactor.WithOutside(func() bool { return pending }))
		mustStart(t, r.NewTimer(time.Hour, 0))
		go func() {
			time.Sleep(time.Minute)
			r.Wake()
		}()
		real := time.Now()
		require.Zero(t, execute(t, r))
		require.Equal(t, time.Minute, time.Since(real))
		pending = false
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, time.Minute, time.Since(real))
	})
}

func TestVirtualClockTakesAWakeBeforeItJumps(t *testing.T) {
	clock := newVirtualClock()
	began := clock.now
	r := newReactor(t, reactor.WithClock(clock))
	mustStart(t, r.NewTimer(time.Hour, 0))
	r.Wake()
	require.Zero(t, execute(t, r))
	require.Equal(t, began, clock.now)
}

func TestVirtualClockWithNothingArmedBlocksUntilWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t, reactor.WithClock(newVirtualClock()))
		go func() {
			time.Sleep(time.Second)
			r.Wake()
		}()
		require.Zero(t, execute(t, r))
	})
}

func TestClockThatIsNotVirtualIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReactor(t, reactor.WithClock(&slowClock{time.Now()}))
		mustStart(t, r.NewTimer(time.Second, 0))
		real := time.Now()
		require.Equal(t, 1, execute(t, r))
		require.Equal(t, 2*time.Second, time.Since(real))
	})
}
