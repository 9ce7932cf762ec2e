package work

import (
	"bufio"
	"fmt"
	"runtime"
	"time"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/reactor"
)

const (
	timerMetric       = "ns/timer"
	timerMemoryMetric = "B/timer"
)

func init() {
	Roles["timers-reactor"] = timersRole(reactorTimers)
	Roles["timers-runtime"] = timersRole(runtimeTimers)
}

// Timers is count timers that run at the same time, due at different moments, and
// are stopped in the order in which they were started. A measurement has a process
// to itself: the memory is the one of the timers alone.
func Timers(count int) harness.Workload {
	return harness.Workload{
		Name:    fmt.Sprintf("%d timers at once", count),
		Metrics: []string{timerMetric, timerMemoryMetric},
		N:       count,
		Sides: []harness.Side{
			{Name: ours, Do: timersIn("timers-reactor")},
			{Name: "time.AfterFunc", Do: timersIn("timers-runtime")},
		},
	}
}

func timersIn(role string) func(m harness.Meter, n int) int {
	return func(m harness.Meter, n int) int {
		c, err := harness.StartChild(role)
		must(err)
		answer, err := c.Ask(fmt.Sprint(n))
		must(err)
		must(c.Close())
		var took, bytes float64
		_, err = fmt.Sscan(answer, &took, &bytes)
		must(err)
		m.ReportMetric(took/float64(n), timerMetric)
		m.ReportMetric(bytes/float64(n), timerMemoryMetric)
		return n
	}
}

// timersRole answers a number with the nanoseconds that it takes to start and stop
// so many timers, and with the bytes that they have meanwhile.
func timersRole(arm func(n int, at func(i int) time.Duration) (stop func())) harness.Role {
	return func(_ []string, requests *bufio.Scanner, answer func(any)) error {
		for requests.Scan() {
			var n int
			if _, err := fmt.Sscan(requests.Text(), &n); err != nil {
				return fmt.Errorf("timers: %w", err)
			}
			// One moment each, in no order: neighbours differ by a prime's steps.
			at := func(i int) time.Duration { return never + time.Duration(i*7919%n)*time.Millisecond }
			before := inUse()
			start := time.Now()
			stop := arm(n, at)
			took := time.Since(start)
			bytes := inUse() - before
			start = time.Now()
			stop()
			took += time.Since(start)
			answer(fmt.Sprint(took.Nanoseconds(), " ", bytes))
		}
		return requests.Err()
	}
}

func reactorTimers(n int, at func(i int) time.Duration) (stop func()) {
	r, err := reactor.New()
	must(err)
	timers := make([]*reactor.Timer, n)
	for i := range timers {
		timers[i] = r.NewTimer(at(i), 0)
		must(timers[i].Start())
	}
	return func() {
		for _, t := range timers {
			t.Stop()
		}
		must(r.Close())
		runtime.KeepAlive(timers)
	}
}

func runtimeTimers(n int, at func(i int) time.Duration) (stop func()) {
	timers := make([]*time.Timer, n)
	for i := range timers {
		timers[i] = time.AfterFunc(at(i), func() {})
	}
	return func() {
		for _, t := range timers {
			t.Stop()
		}
		runtime.KeepAlive(timers)
	}
}
