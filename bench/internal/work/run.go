package work

import (
	"context"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// Run is a scheduler made, run with an empty main coroutine, and gone again.
func Run() harness.Workload {
	return harness.Workload{
		Name: "Run of an empty main",
		Sides: []harness.Side{
			{Name: ours, Do: runs},
			{Name: "goroutine round trip", Procs: 1, Limit: 40, Do: roundTrips},
			{Name: "goroutine round trip", Procs: 2, Do: roundTrips},
		},
	}
}

func runs(m harness.Meter, n int) int {
	empty := func(context.Context) error { return nil }
	m.ResetTimer()
	for range n {
		run(empty)
	}
	m.StopTimer()
	return n
}

func roundTrips(m harness.Meter, n int) int {
	done := make(chan struct{})
	m.ResetTimer()
	for range n {
		go func() { done <- struct{}{} }()
		<-done
	}
	m.StopTimer()
	return n
}
