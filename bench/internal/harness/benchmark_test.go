package harness

import (
	"errors"
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

// short makes testing.Benchmark run each function ten times.
func short(t *testing.T) {
	before := flag.Lookup("test.benchtime").Value.String()
	require.NoError(t, flag.Set("test.benchtime", "10x"))
	t.Cleanup(func() { require.NoError(t, flag.Set("test.benchtime", before)) })
}

func TestBenchmarkReportsPerOperationDone(t *testing.T) {
	short(t)
	side := Side{Do: func(m Meter, n int) int {
		m.StopTimer()
		return 1000 * n
	}}
	r := testing.Benchmark(func(b *testing.B) { side.benchmark(b, 0) })
	require.InDelta(t, float64(r.T)/float64(1000*r.N), r.Extra[TimePerOp], 1e-6)
}

func TestBenchmarkOfAFixedNumber(t *testing.T) {
	short(t)
	runs := 0
	side := Side{Do: func(m Meter, n int) int {
		require.Equal(t, 7, n)
		runs++
		m.ReportMetric(3, "B/op")
		return n
	}}
	b := testing.Benchmark(func(b *testing.B) {
		runs = 0
		side.benchmark(b, 7)
		require.Equal(t, 1, runs)
	})
	require.Equal(t, 3.0, b.Extra["B/op"])
}

func TestBenchmarkOfASideThatMeasuresItsTime(t *testing.T) {
	short(t)
	side := Side{Do: func(m Meter, n int) int {
		m.ReportMetric(0.25, TimePerOp)
		return n
	}}
	r := testing.Benchmark(func(b *testing.B) { side.benchmark(b, 0) })
	require.Equal(t, 0.25, r.Extra[TimePerOp])
}

func TestBenchmarkSkipsWhatIsMissing(t *testing.T) {
	short(t)
	ran := false
	testing.Benchmark(func(b *testing.B) {
		Benchmark(b, []Workload{{Name: "w", Sides: []Side{{
			Version: func() (string, error) { return "", errors.New("not installed") },
			Do: func(Meter, int) int {
				ran = true
				return 1
			},
		}}}})
	})
	require.False(t, ran)
}

func TestSlug(t *testing.T) {
	require.Equal(t, "switch,1000-coroutines", slug("switch, 1000 coroutines"))
	require.Equal(t, "send-receive", slug("send/receive"))
}

func TestBenchmarkSkips(t *testing.T) {
	short(t)
	ran := false
	testing.Benchmark(func(b *testing.B) {
		Benchmark(b, []Workload{{Name: "w", Skip: "no room", Sides: []Side{{Do: func(Meter, int) int {
			ran = true
			return 1
		}}}}})
	})
	require.False(t, ran)
}
