// Package harness measures pieces of work done in several ways beside each
// other, in one process and in turns, and prints the ratios.
//
// A ratio of two figures that were taken within seconds of each other on the
// same machine can be compared between machines, and between days; the figures
// themselves cannot.
package harness

import (
	"fmt"
	"runtime"
	"time"
)

// Workload is one piece of work and the ways to do it.
type Workload struct {
	// Name is a row's first column, such as "switch, 2 coroutines".
	Name string
	// Skip is why the work cannot be done on this machine, "" where it can.
	Skip string
	// Metrics are the figures to compare, by unit; none means TimePerOp. Less
	// is better for all of them.
	Metrics []string
	// Notes are figures that are printed as well, but that nobody is judged by.
	Notes []string
	// N, where it is not 0, is the number of operations of each measurement,
	// whose time does not matter then. Otherwise as many are done as fill the
	// time given to one.
	N int
	// Sides are the ways. The first is this library's, and is held against
	// each of the others.
	Sides []Side
}

// TimePerOp is the metric that every side has without reporting it.
const TimePerOp = "ns/op"

// Side is one way to do a Workload.
type Side struct {
	// Name tells who does the work, such as "channel hand-over".
	Name string
	// Procs is GOMAXPROCS during the work. 0 leaves it as it is.
	Procs int
	// Version, where it is not nil, tells what does the work, for the table's head.
	// An error is why this side cannot be measured here, and stands in its row.
	// It may be asked often, and by several goroutines.
	Version func() (string, error)
	// Limit, where it is not 0, is the ratio of this library's time to this
	// side's that a guard lets pass: generous, so that only a real loss fails.
	Limit float64
	// Do does the work n times, or a few more where that makes whole rounds,
	// and returns how often. Preparations come before m.ResetTimer, and
	// clearing up after m.StopTimer.
	Do func(m Meter, n int) (did int)
}

// Meter is what a side steers the measuring with; *testing.B is one.
type Meter interface {
	ResetTimer()
	StopTimer()
	// ReportMetric reports a figure other than the time, or [TimePerOp] as the
	// side itself has measured it.
	ReportMetric(v float64, unit string)
}

func (w Workload) metrics() []string {
	if len(w.Metrics) == 0 {
		return []string{TimePerOp}
	}
	return w.Metrics
}

// label is the side's name with what must be known to repeat it.
func (s Side) label() string {
	if s.Procs == 0 {
		return s.Name
	}
	return fmt.Sprintf("%s, %d P", s.Name, s.Procs)
}

// missing is why the side cannot be measured on this machine, nil where it can.
func (s Side) missing() error {
	if s.Version == nil {
		return nil
	}
	_, err := s.Version()
	return err
}

// measurement is what one call of Do came to.
type measurement struct {
	did     int
	took    time.Duration
	figures map[string]float64 // by metric
}

func (s Side) measure(n int) measurement {
	defer s.setProcs()()
	runtime.GC() // what the last measurement left is not this one's to collect
	w := newWatch()
	did := s.Do(w, n)
	w.StopTimer()
	if _, told := w.figures[TimePerOp]; !told {
		w.figures[TimePerOp] = float64(w.elapsed) / float64(did)
	}
	return measurement{did: did, took: w.elapsed, figures: w.figures}
}

func (s Side) setProcs() (restore func()) {
	if s.Procs == 0 {
		return func() {}
	}
	before := runtime.GOMAXPROCS(s.Procs)
	return func() { runtime.GOMAXPROCS(before) }
}
