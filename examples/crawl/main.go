// Crawl shows a bounded crawl: every page that can be reached from the first one is
// fetched once, a few at a time. The site is served, over TCP, by the same program.
//
//	go run ./examples/crawl
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/trueasync/trueasync-go/scheduler"
)

func main() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error { return show(ctx, os.Stdout) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// show serves a site, crawls it, and prints what was found.
func show(ctx context.Context, out io.Writer) error {
	site, err := serve(ctx, 40)
	if err != nil {
		return err
	}
	defer site.listener.Close() // ends its coroutines
	found, broken, err := crawl(ctx, site.listener.Addr().String(), 4)
	if err != nil {
		return err
	}
	bytes := 0
	for _, size := range found.All() {
		bytes += size
	}
	fmt.Fprintf(out, "%d pages, %d bytes, %d requests, at most %d at once\n", found.Len(), bytes, site.requests, site.peak)
	for _, err := range broken {
		fmt.Fprintf(out, "broken: %s: %v\n", err.Key, err.Err)
	}
	return nil
}
