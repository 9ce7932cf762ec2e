//go:build unix

package aio_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// A raw read waits as Read does: for data, for the deadline, for Close.
func TestConnSyscallConn(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		defer b.Close()
		raw, err := a.SyscallConn()
		require.NoError(t, err)
		read := func() (n int, err error) {
			buf := make([]byte, 8)
			var sysErr error
			err = raw.Read(func(fd uintptr) bool {
				n, sysErr = unix.Read(int(fd), buf)
				return sysErr != unix.EAGAIN
			})
			return n, errors.Join(err, sysErr)
		}
		reader := scheduler.Spawn(ctx, func(context.Context) (int, error) { return read() })
		require.NoError(t, scheduler.Yield(ctx))
		_, err = b.Write([]byte("hello"))
		require.NoError(t, err)
		n, err := reader.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 5, n)
		require.NoError(t, a.SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err = read()
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, raw.Write(func(uintptr) bool { return true }))
		require.NoError(t, a.Close())
		_, err = read()
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = a.SyscallConn()
		require.ErrorIs(t, err, net.ErrClosed)
		return nil
	})
}

// Goroutines off the loop ask for it, and a panic of theirs stays theirs.
func TestConnSyscallConnOffTheLoop(t *testing.T) {
	ctx := background(t)
	a, b := pair(t, ctx)
	defer b.Close()
	require.Equal(t, 1, option(t, a, unix.IPPROTO_TCP, unix.TCP_NODELAY))
	raw, err := a.SyscallConn()
	require.NoError(t, err)
	require.PanicsWithValue(t, "mine", func() { _ = raw.Control(func(uintptr) { panic("mine") }) })
	require.NoError(t, a.Close())
	require.ErrorIs(t, raw.Control(func(uintptr) {}), net.ErrClosed)
}

// option is an option's value, asked for from a goroutine off the loop as well.
func option(t testing.TB, c *aio.Conn, level, name int) (v int) {
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) { v, err = unix.GetsockoptInt(int(fd), level, name) }))
	require.NoError(t, err)
	return v
}
