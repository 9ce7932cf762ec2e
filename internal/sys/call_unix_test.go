//go:build linux

package sys_test

import (
	"bytes"
	"net/netip"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

func TestWriteVSkipsTheEmptyAndStopsAtTheLimit(t *testing.T) {
	a, b := pair(t)
	var vec sys.Vec
	n, errno := sys.WriteV(a, true, [][]byte{nil, []byte("ab"), {}, []byte("cd")}, &vec)
	require.Zero(t, errno)
	require.Equal(t, 4, n)
	n, errno = sys.WriteV(a, false, [][]byte{nil, {}}, &vec)
	require.Zero(t, errno)
	require.Zero(t, n)
	n, errno = sys.WriteV(a, true, make([][]byte, 5), &vec)
	require.Zero(t, errno)
	require.Zero(t, n)
	var many [][]byte
	for range 3000 {
		many = append(many, []byte("x"))
	}
	n, errno = sys.WriteV(a, true, many, &vec)
	require.Zero(t, errno)
	require.Equal(t, 1024, n, "as many as one call takes")
	undo := sys.Inject(func(sys.Call, int) sys.Fault { return sys.Fault{Limit: 3} })
	n, errno = sys.WriteV(a, true, [][]byte{[]byte("ef"), []byte("gh")}, &vec)
	undo()
	require.Zero(t, errno)
	require.Equal(t, 3, n)
	got := make([]byte, 2000)
	n, errno = sys.Read(b, got)
	require.Zero(t, errno)
	require.Equal(t, "abcd"+string(bytes.Repeat([]byte("x"), 1024))+"efg", string(got[:n]))
}

func TestAddressesThatDoNotFit(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	six := sys.Addr{Net: netip.MustParseAddrPort("[2001:db8::1]:1")}
	_, errno := sys.SendTo(fd, []byte("x"), six, false)
	require.Equal(t, unix.EAFNOSUPPORT, errno)
	require.Equal(t, unix.EAFNOSUPPORT, sys.Connect(fd, six, false))
	require.Equal(t, unix.EINVAL, sys.Connect(fd, sys.Addr{}, false))
	_, errno = sys.SendTo(fd, []byte("x"), sys.Addr{Unix: true, Path: string(make([]byte, 200))}, false)
	require.Equal(t, unix.EINVAL, errno)
	_, errno = sys.SendTo(fd, []byte("x"), sys.Addr{Net: netip.MustParseAddrPort("[fe80::1%no-such]:1")}, true)
	require.Equal(t, unix.ENODEV, errno)
	require.False(t, sys.LocalAddr(-1).Valid())
	require.False(t, sys.RemoteAddr(fd).Valid())
}

func TestMappedAndZonedAddresses(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Skip("needs IPv6 on loopback")
	}
	defer unix.Close(fd)
	require.NoError(t, unix.Bind(fd, &unix.SockaddrInet6{}))
	self := sys.Addr{Net: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), sys.LocalAddr(fd).Net.Port())}
	_, errno := sys.SendTo(fd, []byte("x"), self, true)
	require.Zero(t, errno)
	require.NoError(t, sys.PollReady(fd, false))
	_, from, errno := sys.Receive(fd, make([]byte, 8))
	require.Zero(t, errno)
	require.Equal(t, self.Net.Addr(), from.Net.Addr().Unmap())
}

func TestConnectIsNotBegunTwice(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.Equal(t, unix.EINPROGRESS, sys.Connected(fd), "nothing has gone wrong, and nothing is connected")
	calls := 0
	defer sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallConnect {
			calls++
			f.Errno = unix.EINTR
		}
		return f
	})()
	ln, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(ln)
	require.NoError(t, unix.Bind(ln, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, unix.Listen(ln, 1))
	require.Equal(t, unix.EINPROGRESS, sys.Connect(fd, sys.LocalAddr(ln), false))
	require.Equal(t, 1, calls)
	require.NoError(t, sys.PollReady(fd, true))
	require.Zero(t, sys.Connected(fd))
}

func TestMillisecondsNeverEndEarly(t *testing.T) {
	for d, want := range map[time.Duration]int{
		-1: -1, 0: 0, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, 1<<63 - 1: 24 * 60 * 60 * 1000,
	} {
		require.Equal(t, want, sys.Milliseconds(d), d)
	}
}

func TestExitedTellsOurChildrenFromOthers(t *testing.T) {
	_, errno := sys.Exited(unix.Getppid())
	require.Equal(t, unix.ECHILD, errno)
}

func TestRawCallsDoNotAllocate(t *testing.T) {
	a, b := pair(t)
	buf := make([]byte, 64)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, errno := sys.Send(a, buf); errno != 0 {
			t.Fatal(errno)
		}
		if _, errno := sys.Read(b, buf); errno != 0 {
			t.Fatal(errno)
		}
	}))
}

// GO-10: some systems refuse to transfer 2 GiB at once.
func TestFault_GO10_HugeBuffersGoInParts(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("needs a 64-bit int: no buffer is that big here")
	}
	size := 3
	huge, err := unix.Mmap(-1, 0, size<<30, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(huge)) }()
	n, errno := sys.Transfer(sys.CallWrite, -1, huge, func(_ int, b []byte) (int, syscall.Errno) { return len(b), 0 })
	require.Zero(t, errno)
	require.Equal(t, 1<<30, n)
}
