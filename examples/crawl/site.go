package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// site is a web site of so many pages. It counts what is asked of it; there is no
// lock, since all its coroutines run on one loop.
type site struct {
	listener *aio.Listener
	pages    int
	requests int
	now      int // requests that are being answered
	peak     int // the most at once
}

// serve starts a site: a task that accepts, and one for each connection, in a group
// that keeps nothing of those that have ended.
func serve(ctx context.Context, pages int) (*site, error) {
	listener, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{listener: listener, pages: pages}
	g := taskgroup.New[struct{}](ctx, taskgroup.Discard(), taskgroup.Name("site"))
	err = g.Spawn(ctx, func(ctx context.Context) (struct{}, error) {
		for {
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return struct{}{}, nil
			}
			if err != nil {
				return struct{}{}, err
			}
			err = g.Spawn(ctx, func(ctx context.Context) (struct{}, error) {
				defer conn.Close()
				return struct{}{}, s.answer(ctx, conn)
			})
			if err != nil {
				return struct{}{}, errors.Join(err, conn.Close())
			}
		}
	})
	return s, err
}

// answer answers one request.
func (s *site) answer(ctx context.Context, conn net.Conn) error {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return nil // who asked has gone
	}
	s.requests++
	s.now++
	s.peak = max(s.peak, s.now)
	defer func() { s.now-- }()
	if err := scheduler.Sleep(ctx, time.Millisecond); err != nil { // the work of making a page
		return err
	}
	status, body := http.StatusNotFound, "no such page"
	if n, err := strconv.Atoi(strings.Trim(req.URL.Path, "/p")); req.URL.Path == "/" || err == nil && n < s.pages {
		status, body = http.StatusOK, s.page(n)
	}
	resp := &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: req, Close: true,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
	_ = resp.Write(conn) // who asked may have gone
	return nil
}

// page is the text of page n, which leads to two others and back to the first. The
// last of them lead to pages that are not there.
func (s *site) page(n int) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<h1>Page %d</h1>\n", n)
	for _, to := range []int{2*n + 1, 2*n + 2} {
		if to <= s.pages {
			fmt.Fprintf(&b, "<a href=\"/p%d\">on</a>\n", to)
		}
	}
	fmt.Fprintf(&b, "<a href=\"/\">home</a>\n")
	return b.String()
}
