//go:build linux

package reactor_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor"
)

// child starts a child that ends, with status 7, when its input is closed.
func child(t testing.TB) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "read line; exit 7")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, in
}

func newProcess(t testing.TB, r *reactor.Reactor, p *os.Process) *reactor.Process {
	t.Helper()
	e, err := r.NewProcess(p)
	require.NoError(t, err)
	return e
}

// byEitherMeans runs f with pidfds and without, or with kqueues.
func byEitherMeans(t *testing.T, f func(t *testing.T)) {
	if onKqueue() {
		f(t)
		return
	}
	t.Run("pidfd", f)
	t.Run("signal", func(t *testing.T) {
		defer sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
			if c == sys.CallOpen {
				f.Errno = unix.ENOSYS
			}
			return f
		})()
		f(t)
	})
}

func TestProcess(t *testing.T) {
	byEitherMeans(t, func(t *testing.T) {
		r := newReactor(t)
		cmd, in := child(t)
		p := newProcess(t, r, cmd.Process)
		n := count(p)
		mustStart(t, p)
		mustStart(t, p)
		require.True(t, r.Alive())
		require.Nil(t, p.State())
		require.Zero(t, look(t, r))
		require.NoError(t, in.Close())
		until(t, r, func() bool { return *n > 0 })
		require.Equal(t, 7, p.State().ExitCode())
		require.False(t, r.Alive())
		late := count(p)
		require.Equal(t, 1, *late)
		require.NoError(t, p.Start(), "its end is known")
		p.Stop()
		require.False(t, r.Alive())
		require.Contains(t, p.String(), "process ")
	})
}

func TestProcessThatHasEndedFiresAtOnce(t *testing.T) {
	r := newReactor(t)
	cmd, in := child(t)
	p := newProcess(t, r, cmd.Process)
	require.NoError(t, in.Close())
	var info unix.Siginfo
	require.NoError(t, ignoringEINTR(func() error {
		return unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
	}))
	n := count(p)
	mustStart(t, p)
	require.Equal(t, 1, *n)
	require.Equal(t, 7, p.State().ExitCode())
}

func ignoringEINTR(f func() error) error {
	for {
		if err := f(); err != unix.EINTR {
			return err
		}
	}
}

func TestProcessReapedElsewhere(t *testing.T) {
	byEitherMeans(t, func(t *testing.T) {
		r := newReactor(t)
		cmd, in := child(t)
		p := newProcess(t, r, cmd.Process)
		var got error
		p.Subscribe(func(err error) { got = err })
		mustStart(t, p)
		require.NoError(t, in.Close())
		_ = cmd.Wait()
		until(t, r, func() bool { return got != nil })
		require.Nil(t, p.State())
		require.False(t, r.Alive())

		late := newProcess(t, r, cmd.Process)
		mustStart(t, late)
		var err error
		late.Subscribe(func(e error) { err = e })
		require.Error(t, err)
	})
}

func TestProcessStoppedReapsNothing(t *testing.T) {
	r := newReactor(t)
	cmd, in := child(t)
	p := newProcess(t, r, cmd.Process)
	mustStart(t, p)
	p.Stop()
	require.False(t, r.Alive())
	require.NoError(t, in.Close())
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	require.Equal(t, 7, exit.ExitCode())
	require.Zero(t, look(t, r))
}

func TestProcessesOfOthersAreRefused(t *testing.T) {
	r := newReactor(t)
	_, err := r.NewProcess(nil)
	require.Error(t, err)
	parent, err := os.FindProcess(os.Getppid())
	require.NoError(t, err)
	if parent.Signal(syscall.Signal(0)) != nil {
		t.Skip("the parent is out of sight")
	}
	_, err = r.NewProcess(parent)
	require.ErrorIs(t, err, unix.ECHILD)
}

func TestClosingTellsThoseWhoWaitForChildren(t *testing.T) {
	byEitherMeans(t, func(t *testing.T) {
		r := newReactor(t)
		cmd, in := child(t)
		p := newProcess(t, r, cmd.Process)
		var errs []error
		p.Subscribe(func(err error) { errs = append(errs, err) })
		mustStart(t, p)
		require.NoError(t, r.Close())
		require.Equal(t, []error{net.ErrClosed}, errs)
		require.NoError(t, in.Close())
		var exit *exec.ExitError
		require.ErrorAs(t, cmd.Wait(), &exit)
	})
}

// TestFault_GO8_OtherChildrenAreLeftAlone has children of os/exec end beside
// those of a reactor: neither takes the other's.
func TestFault_GO8_OtherChildrenAreLeftAlone(t *testing.T) {
	byEitherMeans(t, func(t *testing.T) {
		r := newReactor(t)
		ours, ourIn := child(t)
		theirs, theirIn := child(t)
		p := newProcess(t, r, ours.Process)
		n := count(p)
		mustStart(t, p)
		require.NoError(t, theirIn.Close())
		status := make(chan error)
		go func() { status <- theirs.Wait() }()
		look(t, r)
		require.NoError(t, ourIn.Close())
		until(t, r, func() bool { return *n == 1 })
		var exit *exec.ExitError
		require.ErrorAs(t, <-status, &exit)
		require.Equal(t, 7, exit.ExitCode())
		require.Equal(t, 7, p.State().ExitCode())
	})
}

// TestFault_LU7_ChildrenOfTwoLoops ends 60 children at once, watched by two
// reactors: each is told of its own, once.
func TestFault_LU7_ChildrenOfTwoLoops(t *testing.T) {
	byEitherMeans(t, func(t *testing.T) {
		const each = 30
		var in [][]io.Closer
		var loops []*reactor.Reactor
		var counts [][]*int
		for range 2 {
			r := newReactor(t)
			var ins []io.Closer
			var ns []*int
			for range each {
				cmd, c := child(t)
				p := newProcess(t, r, cmd.Process)
				ns = append(ns, count(p))
				mustStart(t, p)
				ins = append(ins, c)
			}
			loops, in, counts = append(loops, r), append(in, ins), append(counts, ns)
		}
		for i := range each {
			require.NoError(t, in[0][i].Close())
			require.NoError(t, in[1][i].Close())
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for loops[1].Alive() {
				if _, err := loops[1].Execute(false); err != nil {
					t.Error(err)
					return
				}
			}
		}()
		for loops[0].Alive() {
			execute(t, loops[0])
		}
		<-done
		for _, ns := range counts {
			for _, n := range ns {
				require.Equal(t, 1, *n)
			}
		}
	})
}
