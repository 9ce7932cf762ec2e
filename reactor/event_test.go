package reactor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/reactor"
)

func TestSubscribersAreToldEachTime(t *testing.T) {
	r := newReactor(t)
	tm := r.NewTimer(0, 0)
	n := count(tm)
	for i := range 3 {
		mustStart(t, tm)
		execute(t, r)
		require.Equal(t, i+1, *n)
	}
	late := count(tm)
	require.Equal(t, 1, *late, "completed: called before Subscribe returns")
	mustStart(t, tm)
	execute(t, r)
	require.Equal(t, 2, *late)
}

func TestUnsubscribeFromWithin(t *testing.T) {
	r := newReactor(t)
	tm := r.NewTimer(0, 0)
	calls := 0
	var undo func()
	undo = tm.Subscribe(func(error) { calls++; undo() })
	for range 2 {
		mustStart(t, tm)
		execute(t, r)
	}
	require.Equal(t, 1, calls)
}

type target struct{ fired int }

func (tg *target) Fired(*event.Waiter, error) { tg.fired++ }

func TestWaiterOnACompletedEventIsFiredAtOnce(t *testing.T) {
	r := newReactor(t)
	var src interface {
		reactor.Event
		event.Source
	} = r.NewTimer(0, 0)
	tg := &target{}
	w := &event.Waiter{Target: tg}
	src.AddWaiter(w)
	mustStart(t, src)
	execute(t, r)
	require.Equal(t, 1, tg.fired)
	src.RemoveWaiter(w)
	src.AddWaiter(w)
	require.Equal(t, 2, tg.fired)
	require.False(t, w.Listed())
}

// TestPanicOfASubscriberLosesNothing has one of three subscribers of the first
// of two timers panic: everyone is told, once, and the reactor goes on.
func TestPanicOfASubscriberLosesNothing(t *testing.T) {
	r := newReactor(t)
	a, b := r.NewTimer(0, 0), r.NewTimer(0, 0)
	first := count(a)
	a.Subscribe(func(error) { panic("boom") })
	last := count(a)
	second := count(b)
	mustStart(t, a)
	mustStart(t, b)
	require.PanicsWithValue(t, "boom", func() { _, _ = r.Execute(false) })
	require.Equal(t, 1, *first)
	require.Equal(t, 1, *last)
	require.Zero(t, *second)
	require.True(t, r.Alive())
	require.Equal(t, 1, execute(t, r))
	require.Equal(t, 1, *second)
	require.False(t, r.Alive())

	faulty := r.NewTimer(time.Minute, 0)
	faulty.Subscribe(func(error) { panic("boom") })
	mustStart(t, faulty)
	hour := r.NewTimer(time.Hour, 0)
	n := count(hour)
	mustStart(t, hour)
	require.Panics(t, func() { _ = r.Close() })
	require.Equal(t, 1, *n, "Close tells the rest all the same")
}
