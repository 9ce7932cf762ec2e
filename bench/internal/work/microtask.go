package work

import (
	"context"
	"fmt"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/microtask"
	"github.com/trueasync/trueasync-go/scheduler"
)

// microtaskBatch is how many microtasks are queued between two switches.
const microtaskBatch = 32

// Microtask queues microtasks and lets the scheduler run them. Go has no such
// queue; a channel full of functions comes closest.
func Microtask() harness.Workload {
	return harness.Workload{
		Name: "microtask queued and run",
		Sides: []harness.Side{
			{Name: ours, Do: microtasks},
			{Name: "func through a buffered channel", Procs: 1, Limit: 0.9, Do: functions},
		},
	}
}

func microtasks(m harness.Meter, n int) int {
	batches := ceil(n, microtaskBatch)
	ran := 0
	task := microtask.New(func() error {
		ran++
		return nil
	}, nil)
	s := scheduler.New()
	must(s.Run(context.Background(), func(ctx context.Context) error {
		m.ResetTimer()
		for range batches {
			for range microtaskBatch {
				s.Microtask(task)
			}
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		m.StopTimer()
		return nil
	}))
	if ran != batches*microtaskBatch {
		panic(fmt.Sprintf("bench: %d of %d microtasks ran", ran, batches*microtaskBatch))
	}
	return ran
}

func functions(m harness.Meter, n int) int {
	batches := ceil(n, microtaskBatch)
	ran := 0
	task := func() { ran++ }
	queue := make(chan func(), microtaskBatch)
	m.ResetTimer()
	for range batches {
		for range microtaskBatch {
			queue <- task
		}
		for range microtaskBatch {
			(<-queue)()
		}
	}
	m.StopTimer()
	return ran
}
