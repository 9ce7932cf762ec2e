//go:build linux

package reactor_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/poll/kqfake"
	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// backendVar, set to kqueue, has every test of this package run on the kqueue
// backend, over a kernel that behaves as the manual pages say.
const backendVar = "REACTOR_TEST_BACKEND"

func init() {
	if onKqueue() {
		testOptions = append(testOptions, reactor.WithBackend(kqfake.Open), reactor.WithQueue(kqfake.OpenQueue))
	}
}

func onKqueue() bool { return os.Getenv(backendVar) == "kqueue" }

func TestEverythingOnKqueue(t *testing.T) {
	if onKqueue() {
		t.Skip("this is it")
	}
	cmd := exec.Command(os.Args[0], "-test.shuffle=on", "-test.timeout=100s", "-test.skip=AllocateNothing")
	cmd.Env = append(os.Environ(), backendVar+"=kqueue")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

// A child cannot be waited for where there is no kqueue, or it refuses: the event
// does not start, and holds nothing.
func TestProcessThatAKqueueRefuses(t *testing.T) {
	cmd, in := child(t)
	var refuses error
	r, err := reactor.New(reactor.WithQueue(func() (poll.Queue, error) {
		if refuses != nil {
			return nil, refuses
		}
		return kqfake.OpenQueue()
	}))
	require.NoError(t, err)
	defer r.Close()
	p := newProcess(t, r, cmd.Process)
	refuses = syscall.EMFILE
	require.ErrorIs(t, p.Start(), refuses)
	refuses = nil
	fails := []syscall.Errno{syscall.EINTR, syscall.ENOMEM}
	undo := sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallRegister && len(fails) > 0 {
			f.Errno, fails = fails[0], fails[1:]
		}
		return f
	})
	defer undo()
	require.ErrorIs(t, p.Start(), syscall.ENOMEM)
	require.False(t, r.Alive())
	n := count(p)
	mustStart(t, p)
	require.NoError(t, in.Close())
	until(t, r, func() bool { return *n > 0 })
	require.Equal(t, 7, p.State().ExitCode())
}
