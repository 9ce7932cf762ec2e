package harness

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// reports is a side that reports one figure after the other, and notes its turns.
func reports(name string, turns *[]string, figures ...float64) Side {
	return Side{Name: name, Do: func(m Meter, n int) int {
		*turns = append(*turns, name)
		m.ReportMetric(figures[0], "B/op")
		figures = figures[1:]
		return n
	}}
}

func TestCompareTakesTurns(t *testing.T) {
	var turns []string
	w := Workload{Name: "w", Metrics: []string{"B/op"}, N: 1, Sides: []Side{
		reports("ours", &turns, 1, 2, 3),
		reports("a", &turns, 10, 10, 10),
		reports("b", &turns, 2, 2, 2),
	}}
	got := Plan{Rounds: 3}.Compare(w)
	require.Equal(t, []string{"ours", "a", "b", "b", "a", "ours", "ours", "a", "b"}, turns)
	require.Equal(t, []Comparison{
		{"w", "B/op", "a", Spread{2, 1, 3}, Spread{10, 10, 10}, Spread{0.2, 0.1, 0.3}, 0, nil},
		{"w", "B/op", "b", Spread{2, 1, 3}, Spread{2, 2, 2}, Spread{1, 0.5, 1.5}, 0, nil},
	}, got)
}

// A slow moment that both sides share is no difference between them.
func TestRatioIsTakenWithinARound(t *testing.T) {
	var turns []string
	w := Workload{Metrics: []string{"B/op"}, N: 1, Sides: []Side{
		reports("ours", &turns, 1, 100, 1),
		reports("theirs", &turns, 2, 200, 2),
	}}
	require.Equal(t, Spread{0.5, 0.5, 0.5}, Plan{Rounds: 3}.Compare(w)[0].Ratio)
}

func TestNotesHaveNoRatio(t *testing.T) {
	var turns []string
	w := Workload{Notes: []string{"B/op"}, N: 1, Sides: []Side{
		reports("ours", &turns, 1), reports("theirs", &turns, 2),
	}}
	got := Plan{Rounds: 1}.Compare(w)
	require.Len(t, got, 2)
	require.Equal(t, Comparison{"", "B/op", "theirs", Spread{1, 1, 1}, Spread{2, 2, 2}, Spread{}, 0, nil}, got[1])
}

func TestASideThatIsMissingIsNotMeasured(t *testing.T) {
	var turns []string
	missing := errors.New("not installed")
	a, b := reports("a", &turns), reports("b", &turns, 4)
	a.Version = func() (string, error) { return "", missing }
	b.Version = func() (string, error) { return "b 1.0", nil }
	w := Workload{Name: "w", Metrics: []string{"B/op"}, N: 1, Sides: []Side{reports("ours", &turns, 2), a, b}}
	got := Plan{Rounds: 1}.Compare(w)
	require.Equal(t, []string{"ours", "b"}, turns)
	require.Equal(t, []Comparison{
		{"w", "B/op", "b", Spread{2, 2, 2}, Spread{4, 4, 4}, Spread{0.5, 0.5, 0.5}, 0, nil},
		{Workload: "w", Peer: "a", Missing: missing},
	}, got)
	require.Equal(t, []string{"b 1.0"}, versions([]Workload{w, w}))
}

func TestCountIsTheWorkloadsOwn(t *testing.T) {
	require.Equal(t, 7, Plan{Time: time.Hour}.count(Workload{N: 7}, Side{}))
}

func TestCountGrowsUntilItFillsTheTime(t *testing.T) {
	var asked []int
	side := Side{Do: func(m Meter, n int) int {
		asked = append(asked, n)
		m.ResetTimer()
		m.(*watch).started = time.Now().Add(-time.Duration(n) * time.Microsecond)
		m.StopTimer()
		return n
	}}
	n := Plan{Time: time.Second}.count(Workload{}, side)
	require.InDelta(t, 1e6, n, 1e5)
	require.Equal(t, []int{1, 100, 10000}, asked[:3], "a hundredfold at most")
	require.Len(t, asked, 4)
}

func TestCountOfOneLongOperation(t *testing.T) {
	side := Side{Do: func(m Meter, n int) int {
		m.(*watch).started = time.Now().Add(-time.Minute)
		return n
	}}
	require.Equal(t, 1, Plan{Time: time.Second}.count(Workload{}, side))
}

func TestProgressPrecedesEveryMeasurement(t *testing.T) {
	var rounds []int
	plan := Plan{Rounds: 2, Progress: func(_ Workload, round int, _ Side) {
		rounds = append(rounds, round)
	}}
	var turns []string
	plan.Compare(Workload{N: 1, Sides: []Side{reports("ours", &turns, 1, 1), reports("theirs", &turns, 1, 1)}})
	require.Equal(t, []int{0, 0, 1, 1, 2, 2}, rounds)
}
