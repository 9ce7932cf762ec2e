package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWatchLeavesOutPreparationAndClearingUp(t *testing.T) {
	w := newWatch()
	w.started = w.started.Add(-time.Hour) // an hour of preparation
	w.ResetTimer()
	w.StopTimer()
	require.Less(t, w.elapsed, time.Hour)

	stoppedAt := w.elapsed
	w.started = w.started.Add(-time.Hour) // an hour of clearing up
	w.StopTimer()
	require.Equal(t, stoppedAt, w.elapsed)
}

func TestWatchKeepsTheLastFigure(t *testing.T) {
	w := newWatch()
	w.ReportMetric(1, "B/op")
	w.ReportMetric(2, "B/op")
	require.Equal(t, 2.0, w.figures["B/op"])
}
