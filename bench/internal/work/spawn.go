package work

import (
	"context"
	"fmt"
	"sync"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
)

// SpawnBatch is how many coroutines are spawned before they are waited for.
const SpawnBatch = 1_000

// Spawn starts coroutines that end without suspending, in batches. An operation
// is one of them spawned, run and ended.
func Spawn() harness.Workload {
	return harness.Workload{
		Name: "spawn, run, end",
		Sides: []harness.Side{
			{Name: ours, Do: spawn},
			{Name: "go + WaitGroup", Procs: 1, Limit: 3, Do: spawnGo},
			{Name: "go + WaitGroup", Procs: 2, Do: spawnGo},
		},
	}
}

func spawn(m harness.Meter, n int) int {
	batches := ceil(n, SpawnBatch)
	ended := 0
	body := func(context.Context) error {
		ended++
		return nil
	}
	run(func(ctx context.Context) error {
		m.ResetTimer()
		for range batches {
			for range SpawnBatch {
				scheduler.Go(ctx, body)
			}
			if err := scheduler.Yield(ctx); err != nil { // the whole batch runs
				return err
			}
		}
		m.StopTimer()
		return nil
	})
	if ended != batches*SpawnBatch {
		panic(fmt.Sprintf("bench: %d of %d coroutines ran", ended, batches*SpawnBatch))
	}
	return ended
}

func spawnGo(m harness.Meter, n int) int {
	batches := ceil(n, SpawnBatch)
	var wg sync.WaitGroup
	body := func() { wg.Done() }
	m.ResetTimer()
	for range batches {
		wg.Add(SpawnBatch)
		for range SpawnBatch {
			go body()
		}
		wg.Wait()
	}
	m.StopTimer()
	return batches * SpawnBatch
}
