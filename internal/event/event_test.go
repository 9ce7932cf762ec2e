package event

import (
	"errors"
	"runtime"
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

// Whoever unwinds the stack, by a panic or a Goexit, keeps nobody from being told.
func TestSettleTellsEverybodyWhateverOneDoes(t *testing.T) {
	for name, unwind := range map[string]func(){
		"panic":  func() { panic("x") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			var l List
			told := 0
			for i := range 5 {
				l.Subscribe(func(error) {
					told++
					if i%2 == 1 {
						unwind()
					}
				})
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { _ = recover() }()
				l.Settle(nil)
				t.Error("it went on")
			}()
			<-done
			require.Equal(t, 5, told)
			require.True(t, l.Empty())
		})
	}
}

func TestCount(t *testing.T) {
	var l List
	a, b := &Waiter{Target: funcTarget(nil)}, &Waiter{Target: funcTarget(nil)}
	l.AddWaiter(a)
	l.AddWaiter(b)
	require.Equal(t, 2, l.Count(func(*Waiter) bool { return true }))
	require.Equal(t, 1, l.Count(func(w *Waiter) bool { return w == b }))
}
