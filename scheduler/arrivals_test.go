package scheduler_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// AwaitAny and its like take futures of several loops and of none, in the order in
// which they settle, from a coroutine and from a goroutine.
func TestArrivalsOfSeveralLoops(t *testing.T) {
	clean(t)
	one, other := serving(t), serving(t)
	gates := [3]chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	var fs []*scheduler.Future[int]
	for i, s := range []*scheduler.Scheduler{one, other, one} {
		fs = append(fs, scheduler.Submit(s, func(ctx context.Context) (int, error) {
			return scheduler.Offload(ctx, func(context.Context) (int, error) { <-gates[i]; return i, nil }).Await(ctx)
		}))
	}
	var all sync.WaitGroup
	close(gates[1])
	awaiting := func(ctx context.Context) (int, error) {
		first, err := scheduler.AwaitAny(ctx, fs...)
		if err != nil || first != 1 {
			t.Error(first, err)
		}
		first, err = scheduler.AwaitAny(ctx, append(fs[:2:2], scheduler.Completed(9))...)
		if err != nil || first != 1 && first != 9 {
			t.Error(first, err)
		}
		return 0, nil
	}
	_, _ = awaiting(context.Background())
	_, err := scheduler.Submit(other, awaiting).Await(context.Background())
	require.NoError(t, err)

	whole := func(ctx context.Context) (int, error) {
		got, err := scheduler.AwaitAll(ctx, fs...)
		if err != nil || len(got) != 3 || got[0] != 0 || got[1] != 1 || got[2] != 2 {
			t.Error(got, err)
		}
		return 0, nil
	}
	for range 3 {
		all.Go(func() { _, _ = whole(context.Background()) })
		all.Go(func() { _, _ = scheduler.Submit(one, whole).Await(context.Background()) })
		all.Go(func() { _, _ = scheduler.Submit(other, whole).Await(context.Background()) })
	}
	close(gates[0])
	close(gates[2])
	all.Wait()
}

// A wait for several that is cut short leaves nothing behind that holds the loop.
func TestArrivalsCutShort(t *testing.T) {
	clean(t)
	s := serving(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		later, _ := scheduler.NewExternal[int](ctx)
		foreign := scheduler.Submit(s, heedShutdown)
		sub, cancel := context.WithCancel(ctx)
		scheduler.Go(ctx, func(context.Context) error { cancel(); return nil })
		_, err := scheduler.AwaitAll(sub, later, foreign)
		require.ErrorIs(t, err, context.Canceled)
		never, _ := scheduler.NewFuture[int](ctx)
		_, err = never.Await(ctx)
		return err
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead, "nothing holds the loop any more")
}
