package work

import (
	"fmt"
	"time"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

const (
	connectionMetric = "B/connection"
	idleCPU          = "ns-cpu-in-a-second"
)

// Idle is what connections cost that have been used once and are quiet: the
// server's memory for each, and its processor time.
func Idle(connections int) harness.Workload {
	side := func(name, role string) harness.Side {
		return harness.Side{Name: name, Do: func(m harness.Meter, n int) int {
			t := traffic{request: make([]byte, 64), answer: 64, connections: n}
			s := t.startServer(inRole(role, 64))
			address := s.ask("address")
			empty := s.number("memory")
			l, err := newLoad(address, t)
			must(err)
			must(l.run(n)) // each of them has been answered, and waits
			m.ReportMetric((s.number("memory")-empty)/float64(n), connectionMetric)
			const quiet = 250 * time.Millisecond
			before := s.cpu()
			time.Sleep(quiet)
			m.ReportMetric(float64((s.cpu()-before)*(time.Second/quiet)), idleCPU)
			l.close()
			must(s.Close())
			return n
		}}
	}
	return harness.Workload{
		Name:    fmt.Sprintf("%d idle connections", connections),
		Metrics: []string{connectionMetric},
		Notes:   []string{idleCPU},
		N:       connections,
		Sides:   []harness.Side{side(ours, "echo-aio"), side("std net", "echo-net")},
	}
}

// idle is Idle with 100,000 connections, or as many as a process may have.
func idle() []harness.Workload {
	return []harness.Workload{Idle(min(100_000, connectionsAllowed()/1000*1000))}
}
