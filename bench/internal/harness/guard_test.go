package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuardedLeavesWhatHasALimit(t *testing.T) {
	all := []Workload{
		{Name: "no limit", Sides: []Side{{Name: "ours"}, {Name: "a"}}},
		{Name: "limit", Sides: []Side{{Name: "ours"}, {Name: "a"}, {Name: "b", Limit: 2}}},
	}
	got := guarded(all)
	require.Len(t, got, 1)
	require.Equal(t, []Side{{Name: "ours"}, {Name: "b", Limit: 2}}, got[0].Sides)
	require.Equal(t, "a", all[1].Sides[1].Name, "the table's own is left as it was")
}

func TestLost(t *testing.T) {
	ratio := func(least, limit float64) Comparison {
		return Comparison{
			Workload: "switch", Peer: "channel", Limit: limit,
			Ratio: Spread{Median: least + 5, Min: least, Max: least + 10},
		}
	}
	require.Empty(t, lost([]Comparison{ratio(2, 2), ratio(9, 0)}))
	require.Equal(t, []string{"switch: at least 2.50 of channel, limit 2.00"}, lost([]Comparison{ratio(1, 2), ratio(2.5, 2)}))
}

func TestLimitIsForTheTime(t *testing.T) {
	var turns []string
	theirs := reports("theirs", &turns, 1)
	theirs.Limit = 3
	got := Plan{Rounds: 1}.Compare(Workload{
		Metrics: []string{TimePerOp, "B/op"}, N: 1,
		Sides: []Side{reports("ours", &turns, 1), theirs},
	})
	require.Equal(t, 3.0, got[0].Limit)
	require.Zero(t, got[1].Limit)
}
