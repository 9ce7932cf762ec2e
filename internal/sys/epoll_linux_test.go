package sys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

func TestEpollWaitIsNeverShort(t *testing.T) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	require.NoError(t, err)
	defer unix.Close(ep)
	evs := make([]unix.EpollEvent, 4)
	// Each wait lasts its time, or a signal has ended it: Go sends itself some.
	wait := func(d time.Duration) {
		for whole := false; !whole; {
			began := time.Now()
			n, errno := sys.EpollWait(ep, evs, d)
			require.Zero(t, errno)
			require.Zero(t, n)
			whole = time.Since(began) >= d
		}
	}
	wait(1500 * time.Microsecond)
	defer sys.WithoutPwait2()()
	wait(1500 * time.Microsecond)
	n, errno := sys.EpollWait(ep, evs, 0)
	require.Zero(t, errno)
	require.Zero(t, n)
	_, errno = sys.EpollWait(-1, evs, 0)
	require.Equal(t, unix.EBADF, errno)
}

func TestEpollWaitForEverEndsWithAnEvent(t *testing.T) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	require.NoError(t, err)
	defer unix.Close(ep)
	a, b := pair(t)
	require.Zero(t, sys.EpollCtl(ep, unix.EPOLL_CTL_ADD, a, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: 7}))
	_, errno := sys.Send(b, []byte("x"))
	require.Zero(t, errno)
	evs := make([]unix.EpollEvent, 4)
	n, errno := sys.EpollWait(ep, evs, -1)
	require.Zero(t, errno)
	require.Equal(t, 1, n)
	require.EqualValues(t, 7, evs[0].Fd)
}
