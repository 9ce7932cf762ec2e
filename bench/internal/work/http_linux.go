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

// greeting is what a client reads. Its length does not depend on the time.
func greeting(now time.Time) string {
	var out strings.Builder
	must(helloResponse(now).Write(&out))
	return out.String()
}

// helloResponse has the header that net/http sends.
func helloResponse(now time.Time) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Date":         {now.UTC().Format(http.TimeFormat)},
			"Content-Type": {"text/plain; charset=utf-8"},
		},
		ContentLength: int64(len(hello)),
		Body:          io.NopCloser(strings.NewReader(hello)),
	}
}

// serveHTTP reads and writes HTTP with what net/http offers for that, a coroutine
// for each connection.
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
		if err := helloResponse(time.Now()).Write(out); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
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
