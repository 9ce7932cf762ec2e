//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// guest is a client of the test.
type guest struct {
	t *testing.T
	net.Conn
	lines *bufio.Reader
}

func (g *guest) says(line string) {
	_, err := io.WriteString(g, line+"\n")
	require.NoError(g.t, err)
}

func (g *guest) hears(want string) {
	g.t.Helper()
	line, err := g.lines.ReadString('\n')
	require.NoError(g.t, err)
	require.Equal(g.t, want, strings.TrimSpace(line))
}

// serve starts the server, and returns a function that lets a guest in, and one that
// waits for the server's end.
func serve(t *testing.T) (enter func() *guest, out *bufio.Reader, wait func()) {
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(context.Background(), "127.0.0.1:0", w)
		w.Close()
	}()
	out = bufio.NewReader(r)
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	address := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	return func() *guest {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
		g := &guest{t, c, bufio.NewReader(c)}
		g.says("/who") // answered once it is let in
		return g
	}, out, func() { require.NoError(t, <-ended) }
}

func TestChat(t *testing.T) {
	enter, out, wait := serve(t)
	one := enter()
	one.hears("* guest 1")
	two := enter()
	one.hears("* guest 2 is here")
	for range 2 {
		_, err := two.lines.ReadString('\n') // who is there, in any order
		require.NoError(t, err)
	}
	one.says("hello")
	two.hears("guest 1: hello")
	two.says("hello yourself")
	one.hears("guest 2: hello yourself")
	three := enter()
	one.hears("* guest 3 is here")
	two.hears("* guest 3 is here")
	require.NoError(t, three.Close())
	one.hears("* guest 3 has left")
	two.hears("* guest 3 has left")

	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "terminated: 2 here, closing\n", line)
	for _, g := range []*guest{one, two} {
		g.hears("* the server closes")
		_, err := g.lines.ReadString('\n')
		require.Equal(t, io.EOF, err)
	}
	wait()
}

// One who does not read is thrown out; the others go on.
func TestChatDropsWhoDoesNotRead(t *testing.T) {
	enter, out, wait := serve(t)
	one := enter()
	one.hears("* guest 1")
	deaf := enter()
	one.hears("* guest 2 is here")
	long := strings.Repeat("x", 60_000)
	gone := make(chan string)
	go func() {
		three := enter()
		for { // three hears one until guest 2 has been thrown out
			line, err := three.lines.ReadString('\n')
			if err != nil {
				break
			}
			gone <- line
		}
		close(gone)
	}()
	one.hears("* guest 3 is here")
	for i := range 1000 {
		one.says(fmt.Sprint(i, long))
		for !strings.HasPrefix(<-gone, fmt.Sprint("guest 1: ", i)) {
		}
	}
	_, _ = io.Copy(io.Discard, deaf) // there is an end to what it gets
	go func() {
		for range gone {
		}
	}()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "terminated: 2 here, closing\n", line)
	wait()
}
