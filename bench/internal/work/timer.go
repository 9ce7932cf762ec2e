package work

import (
	"context"
	"time"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// never is a time that does not come while anything is measured.
const never = time.Hour

// Timer makes a timer, starts it and stops it.
func Timer() harness.Workload {
	return harness.Workload{
		Name: "timer started and stopped",
		Sides: []harness.Side{
			{Name: ours, Do: timers},
			{Name: "time.AfterFunc + Stop", Limit: 1.6, Do: afterFuncs},
		},
	}
}

func timers(m harness.Meter, n int) int {
	r, err := reactor.New()
	must(err)
	m.ResetTimer()
	for range n {
		t := r.NewTimer(never, 0)
		must(t.Start())
		t.Stop()
	}
	m.StopTimer()
	must(r.Close())
	return n
}

func afterFuncs(m harness.Meter, n int) int {
	m.ResetTimer()
	for range n {
		time.AfterFunc(never, func() {}).Stop()
	}
	m.StopTimer()
	return n
}

// Timeout derives a context with a timeout from a coroutine's, and cancels it.
func Timeout() harness.Workload {
	return harness.Workload{
		Name: "WithTimeout made and cancelled",
		Sides: []harness.Side{
			{Name: ours, Do: timeouts},
			{Name: "context.WithTimeout + cancel", Limit: 2, Do: contextTimeouts},
		},
	}
}

func timeouts(m harness.Meter, n int) int {
	run(func(ctx context.Context) error {
		m.ResetTimer()
		for range n {
			_, cancel := scheduler.WithTimeout(ctx, never)
			cancel()
		}
		m.StopTimer()
		return nil
	})
	return n
}

func contextTimeouts(m harness.Meter, n int) int {
	parent, end := context.WithCancel(context.Background())
	m.ResetTimer()
	for range n {
		_, cancel := context.WithTimeout(parent, never)
		cancel()
	}
	m.StopTimer()
	end()
	return n
}
