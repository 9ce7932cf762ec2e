package work

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

func TestMain(m *testing.M) {
	Roles.Play()
	m.Run()
}

// counting is a Meter that sees whether the watch was used as it should be.
type counting struct{ resets, stops int }

func (c *counting) ResetTimer()                  { c.resets++ }
func (c *counting) StopTimer()                   { c.stops++ }
func (c *counting) ReportMetric(float64, string) {}

// Every side does what it is asked for, whatever the number, and measures it
// once. Panics of a workload are its failures.
func TestEverySideDoesItsWork(t *testing.T) {
	small := slices.Concat([]harness.Workload{
		Switch(2), Switch(10), Spawn(), AwaitSettled(), AwaitPending(), Channel(),
		Microtask(), Timer(), Timeout(), Timers(50), Run(), Group(), GroupOfYielders(), Parked(50),
	}, smallServers())
	for _, w := range small {
		for _, side := range w.Sides {
			t.Run(w.Name+"/"+side.Name, func(t *testing.T) {
				for _, n := range []int{1, 7, 1234} {
					var m counting
					require.GreaterOrEqual(t, side.Do(&m, n), n)
					if w.N == 0 {
						require.Equal(t, counting{1, 1}, m)
					}
				}
			})
		}
	}
}

// Goroutines that yield leave a socket waiting for long, so these are few bytes.
func TestBusySidesDoTheirWork(t *testing.T) {
	for _, side := range Busy(10).Sides {
		t.Run(side.Name, func(t *testing.T) {
			for _, n := range []int{1, 7} {
				var m counting
				require.Equal(t, n, side.Do(&m, n))
				require.Equal(t, counting{1, 1}, m)
			}
		})
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for _, w := range All() {
		require.False(t, seen[w.Name], w.Name)
		seen[w.Name] = true
		require.Equal(t, ours, w.Sides[0].Name, "%s: the first side is ours", w.Name)
	}
}

func TestCeil(t *testing.T) {
	require.Equal(t, 1, ceil(1, 10))
	require.Equal(t, 1, ceil(10, 10))
	require.Equal(t, 2, ceil(11, 10))
}
