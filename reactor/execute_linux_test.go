package reactor_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// The reactor is closed by the first of several completions of one tick: the
// others get net.ErrClosed, each once.
func TestCloseFromWithinACompletion(t *testing.T) {
	r := newReactor(t)
	closed, served := 0, 0
	var peers []*reactor.IO
	for range 4 {
		a, b := socketPair(t, r)
		a.Read(make([]byte, 1)).Subscribe(func(err error) {
			if err == nil {
				served++
				require.NoError(t, r.Close())
				return
			}
			require.ErrorIs(t, err, net.ErrClosed)
			closed++
		})
		peers = append(peers, b)
	}
	require.Zero(t, look(t, r))
	for _, b := range peers {
		require.NoError(t, finish(t, r, b.Write([]byte("x"))))
	}
	execute(t, r)
	require.Equal(t, 1, served)
	require.Equal(t, 3, closed)
}

func TestExecuteFromWithinACompletion(t *testing.T) {
	r := newReactor(t)
	served := 0
	var peers []*reactor.IO
	for range 4 {
		a, b := socketPair(t, r)
		a.Read(make([]byte, 1)).Subscribe(func(err error) {
			require.NoError(t, err)
			served++
			look(t, r)
		})
		peers = append(peers, b)
	}
	require.Zero(t, look(t, r))
	for _, b := range peers {
		require.NoError(t, finish(t, r, b.Write([]byte("x"))))
	}
	until(t, r, func() bool { return served == 4 })
	require.False(t, r.Alive())
}

func TestExecuteReportsAFailingWait(t *testing.T) {
	r := watchingReactor(t)
	require.True(t, r.Alive())
	tm := r.NewTimer(0, 0)
	n := count(tm)
	mustStart(t, tm)
	undo := sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallWait {
			f.Errno = unix.ENOMEM
		}
		return f
	})
	_, err := r.Execute(false)
	undo()
	require.ErrorIs(t, err, unix.ENOMEM)
	require.Equal(t, 1, *n, "what else was due has been handled")
	require.Zero(t, look(t, r), "and the loop goes on")
}
