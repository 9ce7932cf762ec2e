// Package examples keeps what the documentation prints and points to true.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = ".."

// block returns the first fenced block of that language.
func block(t *testing.T, text, language string) string {
	_, rest, found := strings.Cut(text, "\n```"+language+"\n")
	require.True(t, found, language)
	body, _, closed := strings.Cut(rest, "\n```\n")
	require.True(t, closed, language)
	return body + "\n"
}

func TestProgramOfTheREADMERunsAsPrinted(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(block(t, string(text), "go")), 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	cmd.Dir = root // whose module the program is compiled against
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, block(t, string(text), "text"), string(out))
}

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	link    = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	command = regexp.MustCompile(`go run (?:-C (\S+) )?\.(/\S*\w)?`)
)

func TestDocumentsPointToWhatIsThere(t *testing.T) {
	for _, name := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		links := link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1)
		for _, m := range links {
			_, err := os.Stat(filepath.Join(root, filepath.Dir(name), m[1]))
			require.NoErrorf(t, err, "%s: %s", name, m[0])
		}
		for _, m := range command.FindAllStringSubmatch(string(text), -1) {
			require.DirExistsf(t, filepath.Join(root, m[1], m[2]), "%s: %s", name, m[0])
		}
	}
}
