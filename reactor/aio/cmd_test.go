//go:build unix

package aio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestCmdOutput(t *testing.T) {
	run(t, func(ctx context.Context) error {
		out, err := aio.Command(ctx, "sh", "-c", "echo hello; echo oops >&2").Output()
		require.NoError(t, err)
		require.Equal(t, "hello\n", string(out))
		both, err := aio.Command(ctx, "sh", "-c", "echo hello; echo oops >&2").CombinedOutput()
		require.NoError(t, err)
		require.Equal(t, "hello\noops\n", string(both))
		return nil
	})
}

func TestCmdFails(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := aio.Command(ctx, "sh", "-c", "echo why >&2; exit 3")
		_, err := c.Output()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 3, exit.ExitCode())
		require.Equal(t, "why\n", string(exit.Stderr))
		require.Equal(t, 3, c.ProcessState.ExitCode())
		require.ErrorIs(t, aio.Command(ctx, "no-such-program").Run(), exec.ErrNotFound)
		require.ErrorIs(t, aio.Command(ctx, "/no/such/program").Run(), os.ErrNotExist)
		require.Error(t, c.Start(), "a second time")
		require.Error(t, c.Wait(), "a second time")
		require.Error(t, aio.Command(ctx, "true").Wait(), "before it was started")
		c = aio.Command(ctx, "true")
		c.Stdout = io.Discard
		_, err = c.Output()
		require.Error(t, err)
		_, err = c.CombinedOutput()
		require.Error(t, err)
		_, err = c.StdoutPipe()
		require.Error(t, err)
		return nil
	})
}

func TestCmdStandardFiles(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := aio.Command(ctx, "sh", "-c", "cat; echo $VAR; pwd")
		c.Env = []string{"VAR=value", "PATH=" + os.Getenv("PATH")}
		c.Dir = "/"
		c.Stdin = strings.NewReader(strings.Repeat("in ", 100_000)) // more than a pipe takes
		var out bytes.Buffer
		c.Stdout = &out
		require.NoError(t, c.Run())
		require.Equal(t, strings.Repeat("in ", 100_000)+"value\n/\n", out.String())

		// Nobody reads what is written: no error of the command's.
		c = aio.Command(ctx, "true")
		c.Stdin = strings.NewReader(strings.Repeat("in ", 100_000))
		require.NoError(t, c.Run())

		// A file is the child's own.
		f, err := os.Create(t.TempDir() + "/out")
		require.NoError(t, err)
		c = aio.Command(ctx, "echo", "hello")
		c.Stdout = f
		require.NoError(t, c.Run())
		got, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		require.Equal(t, "hello\n", string(got))
		return f.Close()
	})
}

func TestCmdPipes(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := aio.Command(ctx, "sh", "-c", "while read line; do echo got $line; echo seen $line >&2; done")
		in, err := c.StdinPipe()
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		errs, err := c.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = c.StdinPipe()
		require.Error(t, err)
		stdout, stderr := bufio.NewReader(out), bufio.NewReader(errs)
		for _, word := range []string{"one", "two"} {
			_, err := io.WriteString(in, word+"\n")
			require.NoError(t, err)
			line, err := stdout.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "got "+word+"\n", line)
			line, err = stderr.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "seen "+word+"\n", line)
		}
		require.NoError(t, in.Close())
		_, err = stdout.ReadString('\n')
		require.Equal(t, io.EOF, err)
		require.NoError(t, c.Wait())
		_, err = out.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrClosed, "Wait has closed it")
		return nil
	})
}

// The child does not hold up the loop.
func TestCmdsRunAtOnce(t *testing.T) {
	run(t, func(ctx context.Context) error {
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		waits := scheduler.Go(ctx, func(ctx context.Context) error {
			c := aio.Command(ctx, "cat")
			c.Stdin = r
			return c.Run()
		})
		for range 3 {
			require.NoError(t, aio.Command(ctx, "true").Run())
		}
		require.Equal(t, scheduler.Suspended, waits.State())
		require.NoError(t, w.Close())
		require.NoError(t, waits.Await(ctx))
		return r.Close()
	})
}

// The end of its ctx kills the child.
func TestCmdEndsWithItsContext(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			cmd := aio.Command(ctx, "sleep", "1000")
			require.NoError(t, cmd.Start())
			scheduler.Current(ctx).Cancel(nil)
			err := cmd.Wait()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal())
			require.ErrorIs(t, aio.Command(ctx, "true").Run(), context.Canceled)
			return nil
		})
		require.NoError(t, c.Await(ctx))

		within, cancel := scheduler.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		var exit *exec.ExitError
		require.ErrorAs(t, aio.Command(within, "sleep", "1000").Run(), &exit)
		return nil
	})
}

// A Cancel that asks kindly: what comes of it is the child's affair.
func TestCmdCancel(t *testing.T) {
	run(t, func(ctx context.Context) error {
		within, cancel := context.WithCancel(ctx)
		c := aio.Command(within, "sh", "-c", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done")
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = out.Read(make([]byte, 16))
		require.NoError(t, err)
		cancel()
		require.ErrorIs(t, c.Wait(), context.Canceled)
		require.True(t, c.ProcessState.Success())
		return nil
	})
}

// Wait waits for a Cancel that is still at work when the child has ended; that is no
// deadlock.
func TestCmdWaitsForCancel(t *testing.T) {
	run(t, func(ctx context.Context) error {
		within, cancel := context.WithCancel(ctx)
		c := aio.Command(within, "sh", "-c", "echo ready; read line")
		in, err := c.StdinPipe()
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		entered, release := make(chan struct{}), make(chan struct{})
		failure := errors.New("could not")
		c.Cancel = func() error {
			close(entered)
			<-release
			return failure
		}
		require.NoError(t, c.Start())
		_, err = out.Read(make([]byte, 16))
		require.NoError(t, err)
		cancel()
		_, err = in.Write([]byte("\n"))
		require.NoError(t, err)
		<-entered
		waiter := scheduler.Go(ctx, func(context.Context) error {
			require.ErrorIs(t, c.Wait(), failure)
			return nil
		})
		for c.Process.Signal(syscall.Signal(0)) == nil { // until it has been reaped
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		}
		time.AfterFunc(10*time.Millisecond, func() { close(release) }) // when nothing else holds the loop
		return waiter.Await(ctx)
	})
}

// WaitDelay kills a child that does not heed Cancel, and cuts off what holds the
// pipes open after it.
func TestCmdWaitDelay(t *testing.T) {
	run(t, func(ctx context.Context) error {
		within, cancel := context.WithCancel(ctx)
		c := aio.Command(within, "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.01; done")
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		c.WaitDelay = 10 * time.Millisecond
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = out.Read(make([]byte, 16))
		require.NoError(t, err)
		cancel()
		var exit *exec.ExitError
		require.ErrorAs(t, c.Wait(), &exit)

		c = aio.Command(ctx, "sh", "-c", "sleep 1000 & echo $!")
		c.WaitDelay = 10 * time.Millisecond
		var pid bytes.Buffer
		c.Stdout = &pid
		require.ErrorIs(t, c.Run(), exec.ErrWaitDelay)
		return exec.Command("kill", strings.TrimSpace(pid.String())).Run()
	})
}

func TestCmdFromOtherGoroutines(t *testing.T) {
	ctx := background(t)
	out, err := aio.Command(ctx, "echo", "hello").Output()
	require.NoError(t, err)
	require.Equal(t, "hello\n", string(out))
	require.ErrorIs(t, aio.Command(context.Background(), "true").Run(), scheduler.ErrNotCoroutine)
}

// What cannot be started leaves no pipe behind, and no process.
func TestCmdThatDoesNotStart(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := aio.Command(ctx, "/no/such/program")
		c.Stdin = strings.NewReader("x")
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		c.Stderr = io.Discard
		require.Error(t, c.Start())
		_, err = out.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrClosed)
		return nil
	})
}

// Of much that goes to the standard error the ends are kept.
func TestCmdKeepsTheEndsOfStderr(t *testing.T) {
	run(t, func(ctx context.Context) error {
		_, err := aio.Command(ctx, "sh", "-c", "echo first >&2; head -c 1000000 /dev/zero >&2; echo last >&2; exit 1").Output()
		var exit *exec.ExitError
		require.True(t, errors.As(err, &exit))
		require.True(t, bytes.HasPrefix(exit.Stderr, []byte("first\n")))
		require.True(t, bytes.HasSuffix(exit.Stderr, []byte("last\n")))
		require.Contains(t, string(exit.Stderr), "omitting")
		require.Less(t, len(exit.Stderr), 70_000)
		return nil
	})
}
