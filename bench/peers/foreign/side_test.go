package foreign

import (
	"testing"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// figures is a Meter that notes what is reported.
type figures map[string]float64

func (figures) ResetTimer()                         {}
func (figures) StopTimer()                          {}
func (f figures) ReportMetric(v float64, to string) { f[to] = v }

func TestSideDoesAtLeastWhatItIsAsked(t *testing.T) {
	for _, tc := range []struct {
		p       *Program
		request string
	}{
		{Boost, "switch 3"}, {Boost, "spawn 7"},
		{PHP, "switch 3"}, {PHP, "spawn 7"},
		{Node, "switch 3"}, {Node, "switch-immediate 3"}, {Node, "spawn 7"},
		{Asyncio, "switch 3"}, {Asyncio, "spawn 7"},
	} {
		side := tc.p.Side("a side", tc.request)
		t.Run(tc.request, func(t *testing.T) {
			skipWithout(t, tc.p)
			for _, n := range []int{1, 100} {
				m := figures{}
				if did := side.Do(m, n); did < n || did > n+7 {
					t.Errorf("did %d of %d", did, n)
				}
				if m[harness.TimePerOp] <= 0 {
					t.Errorf("took %v", m)
				}
			}
		})
	}
}

func TestDone(t *testing.T) {
	if did, took, err := done("100 2500", nil); did != 100 || took != 2500 || err != nil {
		t.Fatal(did, took, err)
	}
	for _, answer := range []string{"", "100", "0 5", "-1 5", "a b"} {
		if _, _, err := done(answer, nil); err == nil {
			t.Errorf("%q: no error", answer)
		}
	}
}
