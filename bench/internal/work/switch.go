package work

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Switch passes control round a ring of count coroutines. An operation is one
// of them giving way to the next.
func Switch(count int) harness.Workload {
	w := harness.Workload{
		Name: fmt.Sprintf("switch, %d coroutines", count),
		Sides: []harness.Side{
			{Name: ours, Do: func(m harness.Meter, n int) int { return yields(m, n, count) }},
			{Name: "iter.Pull", Do: func(m harness.Meter, n int) int { return pulls(m, n, count) }},
			{Name: "channel hand-over", Procs: 1, Do: func(m harness.Meter, n int) int { return handOvers(m, n, count) }},
			{Name: "channel hand-over", Procs: 2, Do: func(m harness.Meter, n int) int { return handOvers(m, n, count) }},
			{Name: "runtime.Gosched", Procs: 1, Do: func(m harness.Meter, n int) int { return gosched(m, n, count) }},
		},
	}
	if count == 2 { // more of them measure the caches
		w.Sides[1].Limit, w.Sides[2].Limit = 3, 0.8
	} else { // of whose misses iter.Pull has one in two switches
		w.Sides = slices.Insert(w.Sides, 2, harness.Side{
			Name: "iter.Pull, there and back",
			Do:   func(m harness.Meter, n int) int { return pulls(m, 2*n, count) / 2 },
		})
	}
	return w
}

// yields measures from the moment when every coroutine has started: the first
// comes back from its first Yield then.
func yields(m harness.Meter, n, count int) int {
	laps := ceil(n, count)
	stop := false
	lead := func(ctx context.Context) error {
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		m.ResetTimer()
		for range laps {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		m.StopTimer()
		stop = true
		return nil
	}
	follow := func(ctx context.Context) error {
		for !stop {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	run(func(ctx context.Context) error {
		scheduler.Go(ctx, lead)
		for range count - 1 {
			scheduler.Go(ctx, follow)
		}
		return nil
	})
	return laps * count
}

// pulls goes round as many sequences; every value pulled is two switches, there
// and back.
func pulls(m harness.Meter, n, count int) int {
	laps := ceil(n, 2*count)
	endless := func(yield func(struct{}) bool) {
		for yield(struct{}{}) {
		}
	}
	nexts := make([]func() (struct{}, bool), count)
	stops := make([]func(), count)
	for i := range nexts {
		nexts[i], stops[i] = iter.Pull(endless)
		nexts[i]()
	}
	m.ResetTimer()
	for range laps {
		for _, next := range nexts {
			next()
		}
	}
	m.StopTimer()
	for _, stop := range stops {
		stop()
	}
	return 2 * laps * count
}

// handOvers passes a token round a ring of goroutines, each waiting for it on
// an unbuffered channel of its own.
func handOvers(m harness.Meter, n, count int) int {
	laps := ceil(n, count)
	first := make(chan struct{})
	last := first
	for range count - 1 {
		in, out := last, make(chan struct{})
		go func() {
			for token := range in {
				out <- token
			}
			close(out)
		}()
		last = out
	}
	lap := func() {
		first <- struct{}{}
		<-last
	}
	lap()
	m.ResetTimer()
	for range laps {
		lap()
	}
	m.StopTimer()
	close(first)
	<-last
	return laps * count
}

// gosched is yields for goroutines. On one processor they take turns.
func gosched(m harness.Meter, n, count int) int {
	laps := ceil(n, count)
	var stop atomic.Bool
	var started, ended sync.WaitGroup
	started.Add(count - 1)
	for range count - 1 {
		ended.Go(func() {
			started.Done()
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	ended.Go(func() {
		started.Wait()
		m.ResetTimer()
		for range laps {
			runtime.Gosched()
		}
		m.StopTimer()
		stop.Store(true)
	})
	ended.Wait()
	return laps * count
}
