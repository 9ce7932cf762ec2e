package fswatch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/fswatch"
)

// A directory that has moved into one that is found before its leaving is told keeps
// its watch.
func TestInotifyFollowsADirectoryIntoANewOne(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.MkdirAll(at("x/y"), 0o700))
	source, err := fswatch.New(dir, true)
	require.NoError(t, err)
	defer func() { require.Zero(t, source.Close()) }()
	told := func() (names []string) {
		reports, err := source.Read()
		require.NoError(t, err)
		for _, r := range reports {
			require.NoError(t, r.Err)
			name, err := filepath.Rel(dir, r.Path)
			require.NoError(t, err)
			names = append(names, name)
		}
		return names
	}
	require.NoError(t, os.Mkdir(at("new"), 0o700))
	require.NoError(t, os.Rename(at("x"), at("new/x")))
	require.Equal(t, []string{"new", "new/x", "new/x/y", "x"}, told())
	require.NoError(t, os.WriteFile(at("new/x/y/file"), nil, 0o600))
	require.NoError(t, os.WriteFile(at("new/x/file"), nil, 0o600))
	require.Equal(t, []string{"new/x/y/file", "new/x/file"}, told())
}
