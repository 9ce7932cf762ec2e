package harness

import (
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
