// Package work holds the pieces of work that bench measures, each with this
// library's way of doing it and the ways that Go offers by itself. A file holds
// one kind of work.
package work

import (
	"context"
	"fmt"
	"slices"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
)

// All are the workloads, in the order of the table.
func All() []harness.Workload {
	return slices.Concat(
		[]harness.Workload{
			Switch(2), Switch(10),
			Spawn(),
			AwaitSettled(), AwaitPending(),
			Channel(),
			Microtask(),
			Timer(), Timeout(), Timers(1_000_000),
			Run(),
			Group(), GroupOfYielders(),
			Parked(100_000),
			Busy(1_000),
			// Last, as the runtime keeps a record of each goroutine there has ever been,
			// and each collection goes through them all.
			Switch(1_000), Switch(10_000), Switch(100_000),
		},
		servers(),
	)
}

// ours is this library's name in tables and benchmarks.
const ours = "trueasync"

// run runs main as the main coroutine of a scheduler. A workload that fails has
// measured nothing.
func run(main func(ctx context.Context) error) {
	must(scheduler.Run(context.Background(), main))
}

func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("bench: %v", err))
	}
}

// ceil is n/by, rounded up.
func ceil(n, by int) int { return (n + by - 1) / by }
