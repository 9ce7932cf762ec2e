package scheduler_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

func TestRunShardsRunsEachOnce(t *testing.T) {
	clean(t)
	var mu sync.Mutex
	ran := map[int]*scheduler.Scheduler{}
	require.NoError(t, scheduler.RunShards(context.Background(), 4, func(ctx context.Context, shard int) error {
		mu.Lock()
		ran[shard] = scheduler.Current(ctx).Scheduler()
		mu.Unlock()
		require.Contains(t, scheduler.Current(ctx).SpawnedAt(), "shards_test.go:")
		return scheduler.Yield(ctx)
	}))
	require.Len(t, ran, 4)
	distinct := map[*scheduler.Scheduler]bool{}
	for _, s := range ran {
		distinct[s] = true
	}
	require.Len(t, distinct, 4)
}

// The failure of one shuts the others down, with it as the cause.
func TestRunShardsFailure(t *testing.T) {
	clean(t)
	for range 20 {
		var mu sync.Mutex
		var causes []error
		err := scheduler.RunShards(context.Background(), 4, func(ctx context.Context, shard int) error {
			if shard == 2 {
				return errStop
			}
			err := scheduler.AwaitShutdown(ctx)
			mu.Lock()
			causes = append(causes, err)
			mu.Unlock()
			return err
		})
		require.ErrorIs(t, err, errStop)
		require.ErrorContains(t, err, "shard 2")
		var all *scheduler.CompositeError
		require.ErrorAs(t, err, &all)
		require.Len(t, all.Errs, 1)
		for _, cause := range causes {
			require.ErrorIs(t, cause, errStop)
			require.ErrorIs(t, cause, scheduler.ErrShutdown)
		}
	}
}

func TestRunShardsFailuresInOrder(t *testing.T) {
	clean(t)
	var all *scheduler.CompositeError
	require.ErrorAs(t, scheduler.RunShards(context.Background(), 5, func(ctx context.Context, shard int) error {
		if shard%2 == 0 {
			return fmt.Errorf("failure %d", shard)
		}
		panic(shard)
	}, scheduler.WithLogger(nil)), &all)
	// Those that were shut down before they began have not failed.
	last := -1
	for _, err := range all.Errs {
		var shard int
		_, scanErr := fmt.Sscanf(err.Error(), "scheduler: shard %d:", &shard)
		require.NoError(t, scanErr)
		require.Greater(t, shard, last)
		last = shard
	}
}

func TestRunShardsEndsWithItsContext(t *testing.T) {
	clean(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	var begun sync.WaitGroup
	begun.Add(3)
	go func() {
		begun.Wait()
		cancel(errStop)
	}()
	require.NoError(t, scheduler.RunShards(ctx, 3, func(ctx context.Context, _ int) error {
		begun.Done()
		return scheduler.AwaitShutdown(ctx)
	}))
}

func TestRunShardsMisuse(t *testing.T) {
	main := func(context.Context, int) error { return nil }
	require.Panics(t, func() { _ = scheduler.RunShards(context.Background(), 0, main) })
	require.Panics(t, func() { _ = scheduler.RunShards(context.Background(), 1, nil) })
	r, err := reactor.New()
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	require.Panics(t, func() { _ = scheduler.RunShards(context.Background(), 2, main, scheduler.WithReactor(r)) })
}

// Shards talk through Submit, and await one another's futures.
func TestRunShardsTalk(t *testing.T) {
	clean(t)
	const n, rounds = 4, 200
	ready := make(chan *scheduler.Scheduler, n)
	all := make(chan []*scheduler.Scheduler)
	go func() {
		var shards []*scheduler.Scheduler
		for range n {
			shards = append(shards, <-ready)
		}
		for range n {
			all <- shards
		}
	}()
	var finished sync.WaitGroup
	finished.Add(n)
	require.NoError(t, scheduler.RunShards(context.Background(), n, func(ctx context.Context, shard int) error {
		ready <- scheduler.Current(ctx).Scheduler()
		shards := <-all
		for i := range rounds {
			to := shards[(shard+i)%n]
			got, err := scheduler.Submit(to, func(ctx context.Context) (int, error) {
				if err := scheduler.Yield(ctx); err != nil {
					return 0, err
				}
				return shard*rounds + i, nil
			}).Await(ctx)
			if err != nil {
				return err
			}
			require.Equal(t, shard*rounds+i, got)
		}
		finished.Done()
		_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { finished.Wait(); return 0, nil }).Await(ctx)
		return err
	}))
}

func ExampleRunShards() {
	results := make(chan int, 4)
	err := scheduler.RunShards(context.Background(), 4, func(ctx context.Context, shard int) error {
		// Each is a loop of its own, on a goroutine of its own.
		results <- shard * shard
		return nil
	})
	close(results)
	sum := 0
	for v := range results {
		sum += v
	}
	fmt.Println(sum, err)
	// Output: 14 <nil>
}
