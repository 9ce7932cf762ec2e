package work

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func init() {
	Roles["http-aio"] = ServerRole(serveHTTP)
	Roles["http-net"] = ServerRole(serveNetHTTP)
}

const (
	hello        = "Hello, World!"
	helloRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
)

// HTTP is HTTP/1.1 on connections that are kept: a greeting for each request, from
// a server on one processor.
func HTTP(connections int) harness.Workload {
	side := func(name, role string) harness.Side {
		return harness.Side{Name: name, Do: func(m harness.Meter, n int) int {
			t := traffic{request: []byte(helloRequest), answer: len(greeting(time.Now())), connections: connections}
			return t.drive(m, n, inRole(role, 0))
		}}
	}
	return harness.Workload{
		Name:    fmt.Sprintf("HTTP/1.1 hello, %d at once", connections),
		Metrics: serverMetrics,
		Notes:   serverNotes,
		Sides:   []harness.Side{side(ours, "http-aio"), side("net/http", "http-net")},
	}
}

// writeGreeting writes what a client reads, with the header that net/http sends. Its
// length does not depend on the time.
func writeGreeting(out *bufio.Writer, now time.Time) {
	_, _ = out.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ")
	_, _ = out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(len(hello)), 10))
	_, _ = out.WriteString("\r\nDate: ")
	_, _ = out.Write(now.UTC().AppendFormat(out.AvailableBuffer(), http.TimeFormat))
	_, _ = out.WriteString("\r\n\r\n" + hello)
}

// greeting is what writeGreeting writes.
func greeting(now time.Time) string {
	var text strings.Builder
	out := bufio.NewWriter(&text)
	writeGreeting(out, now)
	must(out.Flush())
	return text.String()
}

// serveHTTP reads requests with http.ReadRequest, a coroutine for each connection.
func serveHTTP(_ int, listening func(string)) error {
	return scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		listening(l.Addr().String())
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			scheduler.Go(ctx, func(context.Context) error { return greet(c) })
		}
	})
}

func greet(c net.Conn) error {
	defer c.Close()
	in, out := bufio.NewReader(c), bufio.NewWriter(c)
	for {
		if _, err := http.ReadRequest(in); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		writeGreeting(out, time.Now())
		if err := out.Flush(); err != nil { // with what went wrong before
			return err
		}
	}
}

func serveNetHTTP(_ int, listening func(string)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	listening(l.Addr().String())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(hello)))
		_, _ = io.WriteString(w, hello) // the load notices what is missing
	}))
}
