package main

import (
	"fmt"
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc"
	"golang.org/x/sync/errgroup"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
	"github.com/trueasync/trueasync-go/bench/peers/foreign"
)

// spawn is work.Spawn beside libraries that start goroutines, or keep them, and
// beside other languages.
func spawn() harness.Workload {
	w := work.Spawn()
	for _, procs := range []int{1, 2} {
		w.Sides = append(w.Sides,
			from(errgroupModule, batches("errgroup", procs, spawnErrgroup)),
			from(concModule, batches("conc.WaitGroup", procs, spawnConc)),
			from(antsModule, batches("ants", procs, spawnAnts)),
			from(pondModule, batches("pond", procs, spawnPond)),
		)
	}
	request := fmt.Sprint("spawn ", work.SpawnBatch)
	w.Sides = append(w.Sides,
		foreign.Boost.Side("Boost.Context fiber", request),
		foreign.PHP.Side("PHP Fiber", request),
		foreign.Node.Side("Node async function", request),
		foreign.Asyncio.Side("asyncio.create_task", request),
	)
	return w
}

// batches is a side whose batch starts and awaits work.SpawnBatch empty tasks.
func batches(name string, procs int, batch func()) harness.Side {
	return harness.Side{Name: name, Procs: procs, Do: func(m harness.Meter, n int) int {
		m.ResetTimer()
		did := 0
		for ; did < n; did += work.SpawnBatch {
			batch()
		}
		m.StopTimer()
		return did
	}}
}

func spawnErrgroup() {
	var g errgroup.Group
	for range work.SpawnBatch {
		g.Go(func() error { return nil })
	}
	must(g.Wait())
}

func spawnConc() {
	var wg conc.WaitGroup
	for range work.SpawnBatch {
		wg.Go(func() {})
	}
	wg.Wait()
}

// The pools are kept, as a program that uses one would.
var (
	antsPool = sync.OnceValue(func() *ants.Pool {
		p, err := ants.NewPool(ants.DefaultAntsPoolSize)
		must(err)
		return p
	})
	pondPool = sync.OnceValue(func() pond.Pool { return pond.NewPool(0) })
)

func spawnAnts() {
	pool := antsPool()
	var wg sync.WaitGroup
	wg.Add(work.SpawnBatch)
	for range work.SpawnBatch {
		must(pool.Submit(wg.Done))
	}
	wg.Wait()
}

func spawnPond() {
	group := pondPool().NewGroup()
	for range work.SpawnBatch {
		group.Submit(func() {})
	}
	must(group.Wait())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
