//go:build unix

package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestEveryPageIsFetchedOnceAndBrokenLinksAreFound(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error { return show(ctx, &out) }))
	require.Equal(t, "40 pages, 2381 bytes, 41 requests, at most 4 at once\n"+
		"broken: /p40: status 404 Not Found\n", out.String())
}

func TestCrawlEndsWithItsCtx(t *testing.T) {
	require.NoError(t, scheduler.Run(t.Context(), func(ctx context.Context) error {
		site, err := serve(ctx, 1_000_000)
		require.NoError(t, err)
		defer site.listener.Close()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		scheduler.Go(context.WithoutCancel(ctx), func(ctx context.Context) error {
			for site.requests < 100 {
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
			cancel()
			return nil
		})
		_, _, err = crawl(ctx, site.listener.Addr().String(), 10)
		require.ErrorIs(t, err, context.Canceled)
		require.LessOrEqual(t, site.peak, 10)
		return nil
	}))
}
