package reactor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

// testOptions are given to every reactor of these tests.
var testOptions []reactor.Option

func newReactor(t testing.TB, opts ...reactor.Option) *reactor.Reactor {
	t.Helper()
	r, err := reactor.New(append(opts[:len(opts):len(opts)], testOptions...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// execute is one blocking tick.
func execute(t testing.TB, r *reactor.Reactor) int {
	t.Helper()
	n, err := r.Execute(false)
	require.NoError(t, err)
	return n
}

// look is one tick that does not wait.
func look(t testing.TB, r *reactor.Reactor) int {
	t.Helper()
	n, err := r.Execute(true)
	require.NoError(t, err)
	return n
}

// count subscribes to e and counts its firings.
func count(e reactor.Event) *int {
	n := new(int)
	e.Subscribe(func(error) { *n++ })
	return n
}

func mustStart(t testing.TB, e reactor.Event) reactor.Event {
	t.Helper()
	require.NoError(t, e.Start())
	return e
}

// until ticks until done.
func until(t testing.TB, r *reactor.Reactor, done func() bool) {
	t.Helper()
	for !done() {
		execute(t, r)
	}
}
