package harness

import (
	"strings"
	"testing"
)

// Benchmark runs every side of every workload as a benchmark of its own, named
// so that benchstat can put the sides beside each other (-col /side).
func Benchmark(b *testing.B, workloads []Workload) {
	for _, w := range workloads {
		b.Run("work="+slug(w.Name), func(b *testing.B) {
			if w.Skip != "" {
				b.Skip(w.Skip)
			}
			for _, side := range w.Sides {
				b.Run("side="+slug(side.label()), func(b *testing.B) {
					if err := side.missing(); err != nil {
						b.Skip(err)
					}
					side.benchmark(b, w.N)
				})
			}
		})
	}
}

func (s Side) benchmark(b *testing.B, fixed int) {
	defer s.setProcs()()
	if fixed != 0 {
		s.Do(b, fixed)               // once, whatever b.N: -count repeats it
		b.ReportMetric(0, TimePerOp) // 0 leaves it out
		return
	}
	b.ReportAllocs()
	m := &benchmarkMeter{B: b}
	did := s.Do(m, b.N)
	if !m.told {
		b.ReportMetric(float64(b.Elapsed())/float64(did), TimePerOp)
	}
}

// benchmarkMeter notices a side that measures its time itself.
type benchmarkMeter struct {
	*testing.B
	told bool
}

func (m *benchmarkMeter) ReportMetric(v float64, unit string) {
	m.told = m.told || unit == TimePerOp
	m.B.ReportMetric(v, unit)
}

// slug makes a name fit for a benchmark's.
func slug(name string) string {
	return strings.NewReplacer(", ", ",", " ", "-", "/", "-").Replace(name)
}
