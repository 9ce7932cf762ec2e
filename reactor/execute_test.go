package reactor_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExecuteCountsWhatFired(t *testing.T) {
	r := newReactor(t)
	require.Zero(t, look(t, r))
	for range 3 {
		mustStart(t, r.NewTimer(0, 0)) // also where nobody subscribed
	}
	require.Equal(t, 3, look(t, r))
	require.Zero(t, look(t, r))
}

func TestExecuteFromWithinACallback(t *testing.T) {
	r := newReactor(t)
	a, b, c := r.NewTimer(0, 0), r.NewTimer(0, 0), r.NewTimer(0, 0)
	a.Subscribe(func(error) { look(t, r) })
	nb, nc := count(b), count(c)
	for _, tm := range []interface{ Start() error }{a, b, c} {
		require.NoError(t, tm.Start())
	}
	require.Equal(t, 3, execute(t, r), "what the inner tick fired counts")
	require.Equal(t, []int{1, 1}, []int{*nb, *nc})
}

func TestCloseFromWithinACallback(t *testing.T) {
	r := newReactor(t)
	a, b := r.NewTimer(0, 0), r.NewTimer(0, 0)
	a.Subscribe(func(error) { require.NoError(t, r.Close()) })
	var got []error
	b.Subscribe(func(err error) { got = append(got, err) })
	mustStart(t, a)
	mustStart(t, b)
	require.Equal(t, 1, execute(t, r))
	require.Equal(t, []error{net.ErrClosed}, got)
	_, err := r.Execute(true)
	require.ErrorIs(t, err, net.ErrClosed)
}
