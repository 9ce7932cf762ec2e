package scheduler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

type originKey struct{}

func TestOriginHasTheValuesOfOneCtxAndTheEndOfAnother(t *testing.T) {
	boom := errors.New("boom")
	run(t, func(ctx context.Context) error {
		spawn, stop := context.WithCancel(context.WithValue(ctx, originKey{}, "spawn"))
		until, end := context.WithCancelCause(context.WithValue(ctx, originKey{}, "until"))
		sc := scheduler.NewScope(ctx)
		o, err := sc.OriginOf(spawn, until, 0)
		require.NoError(t, err)
		j := &job{origin: o, body: func(ctx context.Context, _ int) error {
			require.Equal(t, "spawn", ctx.Value(originKey{}))
			derived, cancel := context.WithCancel(ctx)
			defer cancel()
			stop()
			require.NoError(t, ctx.Err())
			end(boom)
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			require.Same(t, boom, context.Cause(ctx))
			<-derived.Done()
			require.Same(t, boom, context.Cause(derived))
			return scheduler.Yield(ctx)
		}}
		j.runner.Init(sc, j)
		j.runner.Launch(o)
		require.NoError(t, sc.AwaitCompletion(ctx))
		require.ErrorIs(t, j.ends[0], boom)
		require.ErrorIs(t, j.ends[0], context.Canceled)
		return nil
	})
}

func TestOriginHasTheDeadlineOfItsEnd(t *testing.T) {
	run(t, func(ctx context.Context) error {
		until, cancel := scheduler.WithTimeout(ctx, 1<<40)
		defer cancel()
		sc := scheduler.NewScope(ctx)
		o, err := sc.OriginOf(ctx, until, 0)
		require.NoError(t, err)
		j := &job{origin: o, body: func(ctx context.Context, _ int) error {
			want, _ := until.Deadline()
			got, ok := ctx.Deadline()
			require.True(t, ok)
			require.Equal(t, want, got)
			return nil
		}}
		j.runner.Init(sc, j)
		j.runner.Launch(o)
		return sc.AwaitCompletion(ctx)
	})
}

func TestOriginOfACtxThatIsNotTheLoops(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		_, err := sc.OriginOf(context.Background(), nil, 0)
		require.ErrorIs(t, err, scheduler.ErrNotCoroutine)
		_, err = scheduler.Offload(ctx, func(context.Context) (int, error) {
			_, err := sc.OriginOf(ctx, nil, 0)
			return 0, err
		}).Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrForeignGoroutine)
		return nil
	})
}
