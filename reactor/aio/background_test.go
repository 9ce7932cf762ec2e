package aio

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// What comes when nobody waits for it any more is discarded, and is nobody's failure.
func TestBackgroundDiscards(t *testing.T) {
	for _, failure := range []error{nil, errors.New("too late")} {
		entered, release, discarded := make(chan struct{}), make(chan struct{}), make(chan int, 1)
		require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
			c := scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := background(ctx, func(context.Context) (int, error) {
					close(entered)
					<-release
					return 7, failure
				}, func(v int) { discarded <- v })
				require.ErrorIs(t, err, context.Canceled)
				return nil
			})
			_, err := background(ctx, func(context.Context) (struct{}, error) {
				<-entered
				return struct{}{}, nil
			}, nil)
			require.NoError(t, err)
			c.Cancel(nil)
			return c.Await(ctx)
		}))
		close(release)
		if failure == nil {
			require.Equal(t, 7, <-discarded)
		}
		require.Empty(t, discarded)
	}
}

func TestBackgroundPanics(t *testing.T) {
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		_, err := background(ctx, func(context.Context) (int, error) { panic("oops") }, nil)
		var p *scheduler.PanicError
		require.ErrorAs(t, err, &p)
		require.Equal(t, "oops", p.Value)
		require.NotEmpty(t, p.Stack)
		return nil
	}))
}
