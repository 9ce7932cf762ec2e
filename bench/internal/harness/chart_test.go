package harness

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func measured(work, peer string, ours, theirs float64) Comparison {
	return Comparison{
		Workload: work, Metric: TimePerOp, Peer: peer,
		Ours: Spread{Median: ours}, Theirs: Spread{Median: theirs}, Ratio: Spread{Median: ours / theirs},
	}
}

func TestGroupsShowOursOnce(t *testing.T) {
	got := groups([]Comparison{measured("switch, 2", "a", 1, 2), measured("switch, 2", "b", 1, 4), measured("spawn", "a", 3, 5)})
	require.Equal(t, []chartBarGroup{
		{"switch, 2", TimePerOp, []chartSide{{"trueasync", "ours", 1}, {"a", "theirs", 2}, {"b", "theirs", 4}}},
		{"spawn", TimePerOp, []chartSide{{"trueasync", "ours", 3}, {"a", "theirs", 5}}},
	}, got)
}

func TestChartScalesToTheLongestBar(t *testing.T) {
	svg := Chart("switch, time per op", []Comparison{measured("switch", "a", 10, 40)})
	require.Contains(t, svg, `width="100.0"`)
	require.Contains(t, svg, `width="400.0"`)
	require.Contains(t, svg, "10.0 ns")
}

func TestChartIsXML(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(Chart("<&>", []Comparison{measured(`a < b & "c"`, "<d>", 1, 2)})))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestWords(t *testing.T) {
	for metric, want := range map[string]string{
		TimePerOp:          "time per op",
		"ns/timer":         "time per timer",
		"B/coroutine":      "memory per coroutine",
		"ns-server-cpu/op": "server cpu per op",
		"ns-p99":           "p99",
		"%-load-cpu":       "load cpu",
	} {
		require.Equal(t, want, words(metric))
	}
}

func TestWriteCharts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "charts")
	note := measured("switch, 2", "a", 1, 2)
	note.Metric, note.Ratio = "%-cpu", Spread{}
	memory := measured("timer started", "a", 1, 2)
	memory.Metric = "B/timer"
	require.NoError(t, WriteCharts(dir, []Comparison{
		measured("switch, 2", "a", 1, 2), note, measured("switch, 10", "a", 1, 2), measured("timer started", "a", 1, 2), memory,
	}))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "switch.svg"), filepath.Join(dir, "timer-started-memory-per-timer.svg"), filepath.Join(dir, "timer-started.svg")}, files)
	svg, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Contains(t, string(svg), "switch, 10")
	require.NotContains(t, string(svg), "%-cpu")
}
