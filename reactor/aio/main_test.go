//go:build unix

package aio_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// TestMain has Go's own poller open its descriptors before any test counts.
func TestMain(m *testing.M) {
	if child := os.Getenv("AIO_TEST_CHILD"); child != "" {
		os.Exit(children[child]())
	}
	openGoPoller()
	os.Exit(m.Run())
}

// openGoPoller has the runtime open the descriptors that it keeps.
func openGoPoller() {
	r, w, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = r.SetReadDeadline(time.Now().Add(time.Hour))
	r.Close()
	w.Close()
}

// children are what this test binary does as a child of itself.
var children = map[string]func() int{}

// clean fails t if goroutines of this module or descriptors are left when it has
// ended that were not there when clean was called. What is ending is given time.
func clean(t testing.TB) {
	t.Helper()
	before := resources()
	t.Cleanup(func() {
		var left string
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
			left = ""
			for name, what := range resources() {
				if _, old := before[name]; !old {
					left += name + ": " + what + "\n"
				}
			}
			if left == "" {
				return
			}
		}
		t.Errorf("left behind:\n%s", left)
	})
}

// resources are the goroutines of this module, and the open descriptors where the
// system lists them.
func resources() map[string]string {
	all := make(map[string]string)
	buf := make([]byte, 1<<20)
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if head, _, _ := strings.Cut(g, "["); strings.Contains(g, "trueasync-go/") {
			all[head] = g
		}
	}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if what, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			all["descriptor "+e.Name()+" "+what] = what
		}
	}
	return all
}

// run runs main on a scheduler of its own; nothing may fail, or be left behind.
func run(t testing.TB, main func(ctx context.Context) error, opts ...scheduler.Option) {
	t.Helper()
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), main, opts...))
}

// background runs a loop in the background until the test ends, and returns a ctx
// of a coroutine of its.
func background(t testing.TB) context.Context {
	t.Helper()
	clean(t)
	got, ended := make(chan context.Context), make(chan error, 1)
	s := scheduler.New()
	go func() {
		ended <- s.Run(context.Background(), func(ctx context.Context) error {
			got <- ctx
			_ = scheduler.AwaitShutdown(ctx)
			return nil
		})
	}()
	t.Cleanup(func() {
		s.Shutdown(nil)
		require.NoError(t, <-ended)
	})
	return <-got
}

// listen listens on a free port of the loopback.
func listen(t testing.TB, ctx context.Context) *aio.Listener {
	t.Helper()
	l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

// pair is the two ends of a connection, on the loop of ctx.
func pair(t testing.TB, ctx context.Context) (a, b *aio.Conn) {
	t.Helper()
	l := listen(t, ctx)
	a, err := aio.Dial(ctx, "tcp", l.Addr().String())
	require.NoError(t, err)
	c, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return a, c.(*aio.Conn)
}

// stdPair is the two ends of a connection, one of them package net's.
func stdPair(t testing.TB, ctx context.Context) (a *aio.Conn, b *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	a, err = aio.Dial(ctx, "tcp", l.Addr().String())
	require.NoError(t, err)
	c, err := l.Accept()
	require.NoError(t, err)
	return a, c.(*net.TCPConn)
}

// parked starts a coroutine that reads from c, and returns when it is parked; what
// its Read gives it gives to then.
func parked(t testing.TB, ctx context.Context, c io.Reader, then func(n int, err error)) *scheduler.Coroutine {
	co := scheduler.Go(ctx, func(context.Context) error {
		then(c.Read(make([]byte, 16)))
		return nil
	})
	require.NoError(t, scheduler.Yield(ctx))
	require.Equal(t, scheduler.Suspended, co.State())
	return co
}
