package harness

import "time"

// watch is the Meter of a measurement outside of go test.
type watch struct {
	started time.Time
	stopped bool
	elapsed time.Duration
	figures map[string]float64
}

func newWatch() *watch {
	return &watch{started: time.Now(), figures: make(map[string]float64)}
}

func (w *watch) ResetTimer() { w.started = time.Now() }

func (w *watch) StopTimer() {
	if !w.stopped {
		w.stopped, w.elapsed = true, time.Since(w.started)
	}
}

func (w *watch) ReportMetric(v float64, unit string) { w.figures[unit] = v }
