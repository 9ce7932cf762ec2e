package harness_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

func ExampleTable() {
	table := harness.NewTable(os.Stdout)
	one := harness.Spread{Median: 1, Min: 0.9, Max: 1.1}
	table.Add(harness.Comparison{
		Workload: "switch", Metric: harness.TimePerOp, Peer: "channel", Ours: one, Theirs: one, Ratio: one,
	})
	table.Add(harness.Comparison{
		Workload: "switch", Metric: harness.TimePerOp, Peer: "iter.Pull", Ours: one, Theirs: one, Ratio: one,
	})
	table.Add(harness.Comparison{
		Workload: "parked", Metric: "B/coroutine", Peer: "goroutine", Ours: one, Theirs: one, Ratio: one,
	})
	table.Add(harness.Comparison{
		Workload: "parked", Metric: "%-cpu", Peer: "goroutine", Ours: one, Theirs: one,
	})
	table.Add(harness.Comparison{
		Workload: "parked", Peer: "fiber", Missing: errors.New("not installed"),
	})
	table.Skip(harness.Workload{Name: "echo", Skip: "no network"})
	// Output:
	// work                                 figure             trueasync   beside                                          ratio (in all rounds)
	// -----------------------------------------------------------------------------------------------------------------------------------------
	// switch                               ns/op                1.00 ns   channel                               1.00 ns    1.00 (0.90 to 1.10)
	//                                                                     iter.Pull                             1.00 ns    1.00 (0.90 to 1.10)
	// parked                               B/coroutine           1.00 B   goroutine                              1.00 B    1.00 (0.90 to 1.10)
	//                                      %-cpu                 1.00 %   goroutine                              1.00 %
	//                                                                     fiber                              not installed
	// echo                                 skipped: no network
}

func TestFigure(t *testing.T) {
	for _, tc := range []struct {
		v      float64
		metric string
		want   string
	}{
		{1.234, "ns/op", "1.23 ns"},
		{61.53, "ns/op", "61.5 ns"},
		{615.3, "ns/op", "615 ns"},
		{61530, "ns/op", "61.5 µs"},
		{6.153e6, "ns/op", "6.15 ms"},
		{6.153e9, "ns/op", "6.15 s"},
		{2700, "B/coroutine", "2.64 KiB"},
		{900, "allocs", "900 allocs"},
		{1200, "ns-p99", "1.20 µs"},
	} {
		require.Equal(t, tc.want, harness.Figure(tc.v, tc.metric))
	}
}

func TestTableIsPrintedRowByRow(t *testing.T) {
	var out strings.Builder
	table := harness.NewTable(&out)
	before := out.Len()
	table.Add(harness.Comparison{Workload: "w"})
	require.Greater(t, out.Len(), before)
}
