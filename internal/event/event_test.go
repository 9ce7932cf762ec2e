package event

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFireCallsInOrderOnce(t *testing.T) {
	var l List
	var got []int
	for i := range 3 {
		l.Subscribe(func(error) { got = append(got, i) })
	}
	l.Fire(nil)
	l.Fire(nil)
	require.Equal(t, []int{0, 1, 2, 0, 1, 2}, got)
}

func TestFireSkipsThoseAddedAndRemovedMeanwhile(t *testing.T) {
	var l List
	var got []string
	var undoB func()
	l.Subscribe(func(error) {
		got = append(got, "a")
		undoB()
		l.Subscribe(func(error) { got = append(got, "late") })
	})
	undoB = l.Subscribe(func(error) { got = append(got, "b") })
	l.Subscribe(func(error) { got = append(got, "c") })
	l.Fire(nil)
	require.Equal(t, []string{"a", "c"}, got)
}

func TestUnsubscribeWithinTheCall(t *testing.T) {
	var l List
	calls := 0
	var undo func()
	undo = l.Subscribe(func(error) { calls++; undo() })
	l.Fire(nil)
	l.Fire(nil)
	require.Equal(t, 1, calls)
	require.True(t, l.Empty())
}

func TestFireFromWithinFire(t *testing.T) {
	var l List
	var got []string
	first := true
	l.Subscribe(func(error) {
		got = append(got, "a")
		if first {
			first = false
			l.Fire(nil)
		}
	})
	l.Subscribe(func(error) { got = append(got, "b") })
	l.Fire(nil)
	require.Equal(t, []string{"a", "a", "b"}, got, "a waiter sees a firing that overtakes another once, not twice")
}

func TestSettleFiresLateComersAtOnce(t *testing.T) {
	var l List
	boom := errors.New("boom")
	var early, late error
	l.Subscribe(func(err error) { early = err })
	l.Settle(boom)
	l.Settle(nil)
	l.Subscribe(func(err error) { late = err })
	require.Equal(t, boom, early)
	require.Equal(t, boom, late)
	l.Reset()
	called := false
	l.Subscribe(func(error) { called = true })
	require.False(t, called)
}

func TestWaiterInTwoListsPanics(t *testing.T) {
	var a, b List
	w := &Waiter{Target: funcTarget(func(error) {})}
	a.AddWaiter(w)
	require.True(t, w.Listed())
	require.Panics(t, func() { b.AddWaiter(w) })
	b.RemoveWaiter(w)
	require.True(t, w.Listed())
}
