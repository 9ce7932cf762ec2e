package event

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSettleFiresLateComersAtOnce(t *testing.T) {
	var l Once
	boom := errors.New("boom")
	var early, late error
	l.Subscribe(func(err error) { early = err })
	l.Settle(boom)
	l.Settle(nil)
	l.Subscribe(func(err error) { late = err })
	require.Equal(t, boom, early)
	require.Equal(t, boom, late)
}

// Whoever unwinds the stack, by a panic or a Goexit, keeps nobody from being told.
func TestSettleTellsEverybodyWhateverOneDoes(t *testing.T) {
	for name, unwind := range map[string]func(){
		"panic":  func() { panic("x") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			var l Once
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
