package harness

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLabelTellsTheProcessors(t *testing.T) {
	require.Equal(t, "channel", Side{Name: "channel"}.label())
	require.Equal(t, "channel, 2 P", Side{Name: "channel", Procs: 2}.label())
}

func TestMeasureSetsAndRestoresTheProcessors(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	during := 0
	Side{Procs: before + 1, Do: func(Meter, int) int {
		during = runtime.GOMAXPROCS(0)
		return 1
	}}.measure(1)
	require.Equal(t, before+1, during)
	require.Equal(t, before, runtime.GOMAXPROCS(0))
}

func TestMeasureDividesByWhatWasDone(t *testing.T) {
	m := Side{Do: func(_ Meter, n int) int { return 10 * n }}.measure(3)
	require.Equal(t, 30, m.did)
	require.InDelta(t, float64(m.took)/30, m.figures[TimePerOp], 1e-9)
}

func TestTimeThatASideHasMeasuredItselfCounts(t *testing.T) {
	m := Side{Do: func(m Meter, n int) int {
		m.ReportMetric(0.25, TimePerOp)
		return n
	}}.measure(3)
	require.Equal(t, 0.25, m.figures[TimePerOp])
}

func TestMetricsDefaultToTime(t *testing.T) {
	require.Equal(t, []string{TimePerOp}, Workload{}.metrics())
	require.Equal(t, []string{"B/op"}, Workload{Metrics: []string{"B/op"}}.metrics())
}
