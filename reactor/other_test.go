//go:build !unix

package reactor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

// Where the system has no backend, timers and wake-ups work all the same, and
// descriptors say what is the matter.
func TestDescriptorsAreRefused(t *testing.T) {
	r := newReactor(t)
	_, err := r.NewIO(0, reactor.Pipe)
	require.ErrorContains(t, err, "not supported on this system")
	_, err = r.NewPoll(0, reactor.Readable)
	require.ErrorContains(t, err, "not supported on this system")
	require.False(t, r.Alive())
}
