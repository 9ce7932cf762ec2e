package event

import (
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
