package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	all := []Workload{{Name: "switch, 2"}, {Name: "switch, 10"}, {Name: "spawn"}}
	names := func(pattern string) (out []string) {
		got, err := match(all, pattern)
		require.NoError(t, err)
		for _, w := range got {
			out = append(out, w.Name)
		}
		return out
	}
	require.Equal(t, []string{"switch, 2", "switch, 10", "spawn"}, names(""))
	require.Equal(t, []string{"switch, 2", "switch, 10"}, names("^switch"))
	require.Equal(t, []string{"spawn"}, names("awn$"))

	_, err := match(all, "nothing like it")
	require.ErrorContains(t, err, "matches no workload")
	_, err = match(all, "(")
	require.ErrorContains(t, err, "-run")
}

func TestTableIsWrittenToAFileAsWell(t *testing.T) {
	var turns []string
	w := Workload{Name: "a piece of work", Metrics: []string{"B/op"}, N: 1, Sides: []Side{
		reports("ours", &turns, 1, 1), reports("theirs", &turns, 2, 2),
	}}
	w.Sides[1].Version = func() (string, error) { return "theirs 1.0", nil }
	file := filepath.Join(t.TempDir(), "table.txt")
	all, err := tabulate(file, []Workload{w}, Plan{Rounds: 2})
	require.NoError(t, err)
	require.Len(t, all, 1)

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, table, ok := strings.Cut(string(text), "\n\n")
	require.True(t, ok)
	require.Equal(t, Machine()+"\nbeside theirs 1.0\n2 rounds of 0s each", head)
	require.Contains(t, table, "a piece of work")
	require.Contains(t, table, "0.50 (0.50 to 0.50)")
}

func TestTableThatCannotBeWritten(t *testing.T) {
	_, err := tabulate(filepath.Join(t.TempDir(), "none", "table.txt"), nil, Plan{})
	require.ErrorContains(t, err, "-o")
}
