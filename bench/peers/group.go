package main

import (
	"runtime"
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
)

// group is work.Group beside libraries that limit concurrency.
func group() harness.Workload { return withPeers(work.Group(), func() {}) }

// groupOfYielders is the same for tasks that give way once.
func groupOfYielders() harness.Workload {
	return withPeers(work.GroupOfYielders(), runtime.Gosched)
}

func withPeers(w harness.Workload, suspend func()) harness.Workload {
	for _, procs := range []int{1, 2} {
		for _, peer := range []struct {
			name, module string
			run          func(task func(i int) int) []int
		}{
			{"errgroup", errgroupModule, groupErrgroup},
			{"conc", concModule, groupConc},
			{"ants", antsModule, groupAnts},
			{"pond", pondModule, groupPond},
		} {
			w.Sides = append(w.Sides, from(peer.module, harness.Side{Name: peer.name, Procs: procs, Do: work.Groups(func() []int {
				return peer.run(func(i int) int {
					suspend()
					return i
				})
			})}))
		}
	}
	return w
}

func groupErrgroup(task func(int) int) []int {
	results := make([]int, work.GroupTasks)
	var g errgroup.Group
	g.SetLimit(work.GroupLimit)
	for i := range work.GroupTasks {
		g.Go(func() error {
			results[i] = task(i)
			return nil
		})
	}
	must(g.Wait())
	return results
}

func groupConc(task func(int) int) []int {
	results := make([]int, work.GroupTasks)
	p := pool.New().WithMaxGoroutines(work.GroupLimit)
	for i := range work.GroupTasks {
		p.Go(func() { results[i] = task(i) })
	}
	p.Wait()
	return results
}

func groupAnts(task func(int) int) []int {
	results := make([]int, work.GroupTasks)
	p, err := ants.NewPool(work.GroupLimit)
	must(err)
	defer p.Release()
	var wg sync.WaitGroup
	wg.Add(work.GroupTasks)
	for i := range work.GroupTasks {
		must(p.Submit(func() {
			results[i] = task(i)
			wg.Done()
		}))
	}
	wg.Wait()
	return results
}

func groupPond(task func(int) int) []int {
	p := pond.NewResultPool[int](work.GroupLimit)
	defer p.StopAndWait()
	g := p.NewGroup()
	for i := range work.GroupTasks {
		g.Submit(func() int { return task(i) })
	}
	results, err := g.Wait()
	must(err)
	return results
}
