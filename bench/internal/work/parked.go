package work

import (
	"bufio"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
)

const parkedMetric = "B/coroutine"

// Roles are what the workloads start processes of their own as.
var Roles = harness.Roles{
	"park-coroutines": parkRole(parkCoroutines),
	"park-goroutines": parkRole(parkGoroutines),
}

// Parked is the memory of each of count coroutines that wait. A measurement has
// a process to itself: the runtime keeps what ended goroutines leave.
func Parked(count int) harness.Workload {
	return harness.Workload{
		Name:    fmt.Sprintf("%d coroutines parked", count),
		Metrics: []string{parkedMetric},
		N:       count,
		Sides: []harness.Side{
			{Name: ours, Do: parkIn("park-coroutines")},
			{Name: "goroutine", Do: parkIn("park-goroutines")},
		},
	}
}

func parkIn(role string) func(m harness.Meter, n int) int {
	return func(m harness.Meter, n int) int {
		c, err := harness.StartChild(role)
		must(err)
		answer, err := c.Ask(strconv.Itoa(n))
		must(err)
		must(c.Close())
		bytes, err := strconv.ParseFloat(answer, 64)
		must(err)
		m.ReportMetric(bytes/float64(n), parkedMetric)
		return n
	}
}

// parkRole answers a number with the bytes of memory that so many take.
func parkRole(park func(n int, parked func())) harness.Role {
	return func(_ []string, requests *bufio.Scanner, answer func(any)) error {
		for requests.Scan() {
			n, err := strconv.Atoi(requests.Text())
			if err != nil {
				return fmt.Errorf("parking: %w", err)
			}
			before := inUse()
			park(n, func() { answer(inUse() - before) })
		}
		return requests.Err()
	}
}

// inUse is the memory of live objects and of stacks.
func inUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse
}

func parkCoroutines(n int, parked func()) {
	run(func(ctx context.Context) error {
		release, resolver := scheduler.NewFuture[int](ctx)
		for range n {
			scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := release.Await(ctx)
				return err
			})
		}
		if err := scheduler.Yield(ctx); err != nil { // all of them start and park
			return err
		}
		parked()
		return resolver.Complete(1)
	})
}

func parkGoroutines(n int, parked func()) {
	release := make(chan struct{})
	var started, ended sync.WaitGroup
	started.Add(n)
	for range n {
		ended.Go(func() {
			started.Done()
			<-release
		})
	}
	started.Wait()
	parked()
	close(release)
	ended.Wait()
}
