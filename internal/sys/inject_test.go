//go:build linux

package sys_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

func pair(t *testing.T) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(fds[0]); _ = unix.Close(fds[1]) })
	return fds[0], fds[1]
}

func TestFaultsReachTheCaller(t *testing.T) {
	a, b := pair(t)
	var fault sys.Fault
	var seen []sys.Call
	undo := sys.Inject(func(c sys.Call, fd int) sys.Fault {
		require.Contains(t, []int{a, b}, fd)
		seen = append(seen, c)
		return fault
	})
	defer undo()
	n, errno := sys.Send(a, []byte("hello"))
	require.Zero(t, errno)
	require.Equal(t, 5, n)
	fault.Limit = 2
	buf := make([]byte, 8)
	n, errno = sys.Read(b, buf)
	require.Zero(t, errno)
	require.Equal(t, "he", string(buf[:n]))
	fault = sys.Fault{Errno: unix.ENOBUFS}
	n, errno = sys.Write(a, []byte("x"))
	require.Equal(t, unix.ENOBUFS, errno)
	require.Zero(t, n)
	require.Equal(t, []sys.Call{sys.CallWrite, sys.CallRead, sys.CallWrite}, seen)

	fault = sys.Fault{Lose: true}
	require.Zero(t, sys.Sightings(a))
	fault = sys.Fault{Double: true}
	require.Equal(t, 2, sys.Sightings(a))
	require.Panics(t, func() { sys.Inject(nil) })
	undo()
	require.Equal(t, 1, sys.Sightings(a))
	n, errno = sys.Read(b, buf)
	require.Zero(t, errno)
	require.Equal(t, "llo", string(buf[:n]))
	_, errno = sys.Read(b, buf)
	require.Equal(t, unix.EAGAIN, errno)
}

func TestEveryCallHasAName(t *testing.T) {
	names := map[string]bool{}
	for _, c := range sys.Calls() {
		names[c.String()] = true
	}
	require.Len(t, names, len(sys.Calls()))
}
