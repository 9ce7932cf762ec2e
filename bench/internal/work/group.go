package work

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

const (
	// GroupTasks is how many tasks a group is given.
	GroupTasks = 10_000
	// GroupLimit is how many of them may run at once.
	GroupLimit = 50
)

// Group runs groups of tasks with a limit, and collects their results. An
// operation is one task.
func Group() harness.Workload {
	immediate := func(_ context.Context, i int) (int, error) { return i, nil }
	return harness.Workload{
		Name: fmt.Sprintf("group of %d tasks, limit %d", GroupTasks, GroupLimit),
		Sides: []harness.Side{
			OurGroup(immediate),
			semaphoreSide(1, func() {}),
			semaphoreSide(2, func() {}),
			workersSide(1, func() {}),
			workersSide(2, func() {}),
		},
	}
}

// GroupOfYielders is Group with tasks that each give way once, so that the
// limit is reached.
func GroupOfYielders() harness.Workload {
	yielding := func(ctx context.Context, i int) (int, error) { return i, scheduler.Yield(ctx) }
	return harness.Workload{
		Name: fmt.Sprintf("group of %d tasks that yield once", GroupTasks),
		Sides: []harness.Side{
			OurGroup(yielding),
			semaphoreSide(1, runtime.Gosched),
			semaphoreSide(2, runtime.Gosched),
			workersSide(1, runtime.Gosched),
			workersSide(2, runtime.Gosched),
		},
	}
}

// Groups does the work of a side in whole groups: group must call its tasks'
// body with each number below GroupTasks and return the results in order.
func Groups(group func() []int) func(m harness.Meter, n int) int {
	return func(m harness.Meter, n int) int {
		groups := ceil(n, GroupTasks)
		m.ResetTimer()
		for range groups {
			check(group())
		}
		m.StopTimer()
		return groups * GroupTasks
	}
}

func check(results []int) {
	if len(results) != GroupTasks || results[GroupTasks-1] != GroupTasks-1 {
		panic(fmt.Sprintf("bench: a group gave %d results", len(results)))
	}
}

// OurGroup is this library's side of a group of tasks that run body.
func OurGroup(body func(ctx context.Context, i int) (int, error)) harness.Side {
	return harness.Side{Name: ours, Do: func(m harness.Meter, n int) (did int) {
		run(func(ctx context.Context) error {
			did = Groups(func() []int { return ourGroup(ctx, body) })(m, n)
			return nil
		})
		return did
	}}
}

func ourGroup(ctx context.Context, body func(context.Context, int) (int, error)) []int {
	g := taskgroup.New[int](ctx, taskgroup.Concurrency(GroupLimit))
	for i := range GroupTasks {
		must(g.Spawn(ctx, func(ctx context.Context) (int, error) { return body(ctx, i) }))
	}
	results, err := g.All().Await(ctx)
	must(err)
	must(g.Dispose())
	return results.Values()
}

// semaphoreSide is a goroutine for each task, and a channel as the limit.
func semaphoreSide(procs int, suspend func()) harness.Side {
	return harness.Side{Name: "goroutines + semaphore", Procs: procs, Do: Groups(func() []int {
		results := make([]int, GroupTasks)
		slots := make(chan struct{}, GroupLimit)
		var wg sync.WaitGroup
		for i := range GroupTasks {
			slots <- struct{}{}
			wg.Go(func() {
				suspend()
				results[i] = i
				<-slots
			})
		}
		wg.Wait()
		return results
	})}
}

// workersSide is as many goroutines as the limit allows, fed by a channel.
func workersSide(procs int, suspend func()) harness.Side {
	return harness.Side{Name: "bare workers on a channel", Procs: procs, Do: Groups(func() []int {
		results := make([]int, GroupTasks)
		tasks := make(chan int)
		var wg sync.WaitGroup
		for range GroupLimit {
			wg.Go(func() {
				for i := range tasks {
					suspend()
					results[i] = i
				}
			})
		}
		for i := range GroupTasks {
			tasks <- i
		}
		close(tasks)
		wg.Wait()
		return results
	})}
}
