//go:build unix

package aio_test

import (
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
)

// What a call needs is used again by the next, which may be one of another loop: the
// first has let go of it when the call returns, also of one that completes at once.
func TestCallsOfOneGoroutineOnTwoLoops(t *testing.T) {
	a, b := pair(t, background(t))
	c, d := pair(t, background(t))
	got := make([]byte, 1)
	for i := range 500 {
		for _, ends := range [][2]*aio.Conn{{a, b}, {c, d}} {
			sent := []byte{byte(i)}
			_, err := ends[0].Write(sent)
			require.NoError(t, err)
			_, err = io.ReadFull(ends[1], got)
			require.NoError(t, err)
			require.Equal(t, sent, got)
		}
	}
}

// The same of calls most of which have to wait.
func TestWaitingCallsOfOneGoroutineOnTwoLoops(t *testing.T) {
	a, b := pair(t, background(t))
	c, d := pair(t, background(t))
	const times = 1000
	turn := make(chan *aio.Conn)
	defer close(turn)
	go func() {
		for w := range turn {
			runtime.Gosched() // so that the reader is there
			_, _ = w.Write([]byte("x"))
		}
	}()
	for range times {
		for _, ends := range [][2]*aio.Conn{{a, b}, {c, d}} {
			turn <- ends[0]
			n, err := ends[1].Read(make([]byte, 2))
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
	}
}
