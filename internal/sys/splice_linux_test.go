package sys_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// openPipe is a pipe of sys's making, closed by the end of the test.
func openPipe(t *testing.T, size int) (r, w, holds int) {
	t.Helper()
	r, w, holds, errno := sys.OpenPipe(size)
	require.Zero(t, errno)
	t.Cleanup(func() { _, _ = sys.Close(r), sys.Close(w) })
	return r, w, holds
}

func TestOpenPipe(t *testing.T) {
	r, w, holds := openPipe(t, 128<<10)
	require.GreaterOrEqual(t, holds, unix.Getpagesize())
	for _, fd := range []int{r, w} {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		require.NoError(t, err)
		require.NotZero(t, flags&unix.O_NONBLOCK)
		flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		require.NoError(t, err)
		require.NotZero(t, flags&unix.FD_CLOEXEC)
	}
	_, _, holds = openPipe(t, -1) // which no pipe can hold
	require.GreaterOrEqual(t, holds, unix.Getpagesize(), "a pipe of the usual size")
	var fault sys.Fault
	defer sys.Inject(func(c sys.Call, _ int) sys.Fault {
		require.Contains(t, []sys.Call{sys.CallOpen, sys.CallClose}, c)
		return fault
	})()
	fault.Limit = unix.Getpagesize()
	_, _, holds = openPipe(t, 128<<10)
	require.Equal(t, fault.Limit, holds)
	fault.Errno = unix.EMFILE
	_, _, _, errno := sys.OpenPipe(0)
	require.Equal(t, unix.EMFILE, errno)
}

func TestSplice(t *testing.T) {
	a, b := pair(t)
	c, d := pair(t)
	r, w, _ := openPipe(t, 64<<10)
	n, errno := sys.Send(a, []byte("hello, world"))
	require.Zero(t, errno)
	require.Equal(t, 12, n)
	n, errno = sys.SpliceIn(b, w, 7)
	require.Zero(t, errno)
	require.Equal(t, 7, n)

	var about []int
	faults := []sys.Fault{{Errno: unix.EINTR}, {Limit: 2}, {}, {Errno: unix.ECONNRESET}}
	undo := sys.Inject(func(call sys.Call, fd int) (f sys.Fault) {
		require.Equal(t, sys.CallSplice, call)
		about = append(about, fd)
		f, faults = faults[0], faults[1:]
		return f
	})
	n, errno = sys.SpliceOut(r, c, 7)
	require.Zero(t, errno)
	require.Equal(t, 2, n)
	n, errno = sys.SpliceOut(r, c, 5)
	require.Zero(t, errno)
	require.Equal(t, 5, n)
	n, errno = sys.SpliceIn(b, w, 7)
	undo()
	require.Equal(t, unix.ECONNRESET, errno)
	require.Zero(t, n)
	require.Equal(t, []int{c, c, c, b}, about, "the pipe is nobody's business")

	got := make([]byte, 16)
	n, errno = sys.Read(d, got)
	require.Zero(t, errno)
	require.Equal(t, "hello, ", string(got[:n]))
	_, errno = sys.SpliceOut(r, c, 1)
	require.Equal(t, unix.EAGAIN, errno)
	require.Zero(t, sys.Shutdown(a, false, true))
	n, errno = sys.SpliceIn(b, w, 100)
	require.Zero(t, errno)
	require.Equal(t, 5, n)
	n, errno = sys.SpliceIn(b, w, 100)
	require.Zero(t, errno)
	require.Zero(t, n, "the end")
}

// tcpPair is two ends of a connection that do not block.
func tcpPair(t *testing.T) (a, b int) {
	t.Helper()
	socket := func() int {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		require.NoError(t, err)
		t.Cleanup(func() { _ = unix.Close(fd) })
		return fd
	}
	l, a := socket(), socket()
	require.NoError(t, unix.Bind(l, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, unix.Listen(l, 1))
	addr, err := unix.Getsockname(l)
	require.NoError(t, err)
	require.NoError(t, unix.Connect(a, addr))
	b, _, err = unix.Accept4(l, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	require.NoError(t, err)
	t.Cleanup(func() { _ = unix.Close(b) })
	require.NoError(t, unix.SetNonblock(a, true))
	return a, b
}

// Urgent data, which is none of the bytes, is something to read past, not to wait for.
func TestSpliceInAtUrgentData(t *testing.T) {
	a, b := tcpPair(t)
	_, w, _ := openPipe(t, 64<<10)
	for _, part := range []struct {
		bytes string
		flags int
		seen  int16
	}{{"before", 0, unix.POLLIN}, {"!", unix.MSG_OOB, unix.POLLPRI}} {
		require.NoError(t, unix.Send(a, []byte(part.bytes), part.flags))
		await(t, b, part.seen)
	}
	n, errno := sys.SpliceIn(b, w, 100)
	require.Zero(t, errno)
	require.Equal(t, len("before"), n)
	n, errno = sys.SpliceIn(b, w, 100)
	require.Zero(t, errno)
	require.Zero(t, n)
	require.NoError(t, unix.Send(a, []byte("after"), 0))
	await(t, b, unix.POLLIN)
	got := make([]byte, 100)
	n, errno = sys.Read(b, got)
	require.Zero(t, errno)
	require.Equal(t, "after", string(got[:n]))
	_, errno = sys.SpliceIn(b, w, 100)
	require.Equal(t, unix.EAGAIN, errno)
}

// await waits until that is to be had of fd.
func await(t *testing.T, fd int, events int16) {
	t.Helper()
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: events}}
		if n, err := unix.Poll(fds, -1); err != unix.EINTR {
			require.NoError(t, err)
			require.Equal(t, 1, n)
			return
		}
	}
}
