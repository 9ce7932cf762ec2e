package aio_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// terminal is the two ends of a terminal that nobody sits at.
func terminal(t testing.TB) (master, tty *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("needs /dev/ptmx: ", err)
	}
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var n int
	require.NoError(t, raw.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, err)
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return master, tty
}

func TestStreamOfATerminal(t *testing.T) {
	run(t, func(ctx context.Context) error {
		master, tty := terminal(t)
		far, err := aio.NewStream(ctx, master)
		require.NoError(t, err)
		near, err := aio.NewStream(ctx, tty)
		require.NoError(t, err)
		reader := scheduler.Go(ctx, func(context.Context) error {
			line, err := bufio.NewReader(near).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "hello\n", line)
			_, err = near.Write([]byte("answer\n"))
			return err
		})
		require.NoError(t, scheduler.Yield(ctx))
		_, err = far.Write([]byte("hello\n"))
		require.NoError(t, err)
		require.NoError(t, reader.Await(ctx))
		r := bufio.NewReader(far)
		echo, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "hello\r\n", echo)
		answer, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "answer\r\n", answer)
		require.NoError(t, near.Close())
		return far.Close()
	})
}

// A terminal that others share stays blocking for them.
func TestStreamLeavesAnothersTerminalBlocking(t *testing.T) {
	run(t, func(ctx context.Context) error {
		master, tty := terminal(t)
		defer master.Close()
		fd, err := unix.Dup(int(tty.Fd())) // Fd makes it blocking
		require.NoError(t, err)
		shared := os.NewFile(uintptr(fd), "shared")
		defer shared.Close()
		s, err := aio.NewStream(ctx, tty)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		require.NoError(t, err)
		require.Zero(t, flags&unix.O_NONBLOCK)
		return nil
	})
}
