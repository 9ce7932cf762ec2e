//go:build unix

package reactor_test

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

func newSignal(t testing.TB, r *reactor.Reactor, sig os.Signal) *reactor.Signal {
	t.Helper()
	s, err := r.NewSignal(sig)
	require.NoError(t, err)
	return s
}

func kill(t testing.TB, sig syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(os.Getpid(), sig))
}

func TestSignalFiresEveryWaiterEachTime(t *testing.T) {
	r := newReactor(t)
	a, b := newSignal(t, r, syscall.SIGUSR1), newSignal(t, r, syscall.SIGUSR1)
	other := newSignal(t, r, syscall.SIGUSR2)
	na, nb, no := count(a), count(b), count(other)
	for _, s := range []*reactor.Signal{a, b, other} {
		mustStart(t, s)
	}
	require.True(t, r.Alive())
	for i := range 3 {
		kill(t, syscall.SIGUSR1)
		until(t, r, func() bool { return *na == i+1 })
		require.Equal(t, i+1, *nb)
	}
	require.Zero(t, *no)
	b.Stop()
	kill(t, syscall.SIGUSR1)
	until(t, r, func() bool { return *na == 4 })
	require.Equal(t, 3, *nb)
	a.Stop()
	other.Stop()
	require.False(t, r.Alive())
	require.Equal(t, "signal user defined signal 1", a.String())
}

func TestSignalStopsOthersFromWithin(t *testing.T) {
	r := newReactor(t)
	a, b := newSignal(t, r, syscall.SIGUSR1), newSignal(t, r, syscall.SIGUSR1)
	na, nb := 0, 0
	a.Subscribe(func(error) { na++; b.Stop(); a.Stop() })
	b.Subscribe(func(error) { nb++ })
	mustStart(t, a)
	mustStart(t, b)
	kill(t, syscall.SIGUSR1)
	until(t, r, func() bool { return na == 1 })
	require.Zero(t, nb)
}

func TestSignalPanicLosesNothing(t *testing.T) {
	r := newReactor(t)
	a, b := newSignal(t, r, syscall.SIGUSR1), newSignal(t, r, syscall.SIGUSR1)
	a.Subscribe(func(error) { panic("boom") })
	nb := count(b)
	mustStart(t, a)
	mustStart(t, b)
	kill(t, syscall.SIGUSR1)
	require.PanicsWithValue(t, "boom", func() { _, _ = r.Execute(false) })
	require.Equal(t, 1, *nb)
	a.Stop()
}

func TestSignalsThatCannotBeCaught(t *testing.T) {
	r := newReactor(t)
	for _, sig := range []os.Signal{nil, syscall.SIGKILL, syscall.SIGSTOP, syscall.Signal(0), os.Kill} {
		_, err := r.NewSignal(sig)
		require.Error(t, err)
	}
}

func TestClosingTellsThoseWhoWaitForSignals(t *testing.T) {
	r := newReactor(t)
	a, b := newSignal(t, r, syscall.SIGUSR1), newSignal(t, r, syscall.SIGUSR2)
	var errs []error
	for _, s := range []*reactor.Signal{a, b} {
		s.Subscribe(func(err error) { errs = append(errs, err) })
		mustStart(t, s)
	}
	require.NoError(t, r.Close())
	require.Equal(t, []error{net.ErrClosed, net.ErrClosed}, errs)
	require.ErrorIs(t, a.Start(), net.ErrClosed)
}

// The child waits for SIGTERM, stops waiting, and is then killed by it: the
// default disposition is back.
func init() {
	children["signal"] = func() int {
		r, err := reactor.New()
		if err != nil {
			return 3
		}
		s, _ := r.NewSignal(syscall.SIGTERM)
		other, _ := r.NewSignal(syscall.SIGUSR2)
		fired := false
		s.Subscribe(func(error) { fired = true })
		if s.Start() != nil || other.Start() != nil {
			return 4
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		for !fired {
			_, _ = r.Execute(false)
		}
		s.Stop()
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {} // until the signal ends us
	}
}

func TestFault_TA13_SignalNobodyWaitsForHasItsDefault(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "REACTOR_TEST_CHILD=signal")
	err := cmd.Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	status := exit.Sys().(syscall.WaitStatus)
	require.True(t, status.Signaled(), err)
	require.Equal(t, syscall.SIGTERM, status.Signal())
}

// Giving up one signal must not touch who else in the program listens to it.
func TestSignalLeavesOtherListenersAlone(t *testing.T) {
	ch := make(chan os.Signal, 4)
	signal.Notify(ch, syscall.SIGUSR1)
	defer signal.Stop(ch)
	r := newReactor(t)
	s := newSignal(t, r, syscall.SIGUSR1)
	mustStart(t, s)
	s.Stop()
	kill(t, syscall.SIGUSR1)
	require.Equal(t, syscall.SIGUSR1, <-ch)
}
