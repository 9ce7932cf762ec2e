package scheduler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestReportGoesToTheHandlers(t *testing.T) {
	boom := errors.New("boom")
	run(t, func(ctx context.Context) error {
		above := scheduler.NewScope(ctx)
		sc := above.NewChild()
		var got []error
		above.OnChildError(func(in *scheduler.Scope, c *scheduler.Coroutine, err error) {
			require.Same(t, sc, in)
			require.Nil(t, c)
			got = append(got, err)
		})
		sc.Report(nil, boom)
		require.Equal(t, []error{boom}, got)
		require.Panics(t, func() { sc.Report(nil, nil) })
		return nil
	})
}

func TestReportWithoutAHandlerShutsDown(t *testing.T) {
	boom := errors.New("boom")
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.NewScope(ctx).Report(nil, boom)
		return scheduler.AwaitShutdown(ctx)
	})
	require.ErrorIs(t, err, boom)
}
