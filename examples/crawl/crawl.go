package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// crawl fetches "/" and all that it leads to, at most limit pages at once, and
// returns their sizes by path, and the links that are broken.
//
// A task is a page, its key the path: that the group refuses a key which is taken
// is what makes each page visited once. Tasks spawn the tasks for their links, and
// never wait for them, so that a limit cannot bring them to a stand; the pages to
// come wait in the group's queue, without a stack.
func crawl(ctx context.Context, address string, limit int) (*taskgroup.Results[string, int], []*taskgroup.TaskError[string], error) {
	g := taskgroup.NewKeyed[string, int](ctx, taskgroup.Concurrency(limit))
	defer g.Dispose()
	var visit func(ctx context.Context, path string) error
	visit = func(ctx context.Context, path string) error {
		err := g.SpawnWithKey(ctx, path, func(ctx context.Context) (int, error) {
			page, err := fetch(ctx, address, path)
			if err != nil {
				return 0, err
			}
			for _, link := range links(page) {
				if err := visit(ctx, link); err != nil {
					return 0, err
				}
			}
			return len(page), nil
		})
		if errors.Is(err, taskgroup.ErrDuplicateKey) {
			return nil
		}
		return err
	}
	if err := visit(ctx, "/"); err != nil {
		return nil, nil, err
	}
	// All concerns the tasks that are there when it is called, and they spawn more.
	for !g.IsFinished() {
		if _, err := g.All(taskgroup.IgnoreErrors()).Await(ctx); err != nil {
			return nil, nil, err
		}
	}
	return g.GetResults(), g.GetErrors(), nil
}

var href = regexp.MustCompile(`href="(/[^"]*)"`)

// links are the paths that a page leads to.
func links(page []byte) (paths []string) {
	for _, match := range href.FindAllSubmatch(page, -1) {
		paths = append(paths, string(match[1]))
	}
	return paths
}

// fetch gets one page. net/http's requests and responses are written to and read
// from a connection that suspends the coroutine.
func fetch(ctx context.Context, address, path string) ([]byte, error) {
	conn, err := aio.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	req, err := http.NewRequest(http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return nil, err
	}
	req.Close = true
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}
