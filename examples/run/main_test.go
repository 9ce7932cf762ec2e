//go:build unix

package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRunShowsWhatCommandsWrite(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"echo hello; printf end", "echo oops >&2"}, time.Minute, &out))
	require.Equal(t, "1| hello\n1| end\n1: done\n", of("1", out.String()))
	require.Equal(t, "2| oops\n2: done\n", of("2", out.String()))
}

// of is the lines about one command, which those about others may come between.
func of(command, out string) (lines string) {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, command) {
			lines += line
		}
	}
	return lines
}

// The commands run at once: each waits for the other.
func TestRunRunsThemAtOnce(t *testing.T) {
	dir := t.TempDir()
	wait := "touch %s; while [ ! -e %s ]; do sleep 0.01; done"
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{
		strings.NewReplacer("%s; ", dir+"/a; ", "%s ]", dir+"/b ]").Replace(wait),
		strings.NewReplacer("%s; ", dir+"/b; ", "%s ]", dir+"/a ]").Replace(wait),
	}, time.Minute, &out))
}

func TestRunTellsFailuresAndKills(t *testing.T) {
	var out strings.Builder
	err := run(context.Background(), []string{"exit 3", "exec sleep 1000", "echo fine"}, 100*time.Millisecond, &out)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Contains(t, out.String(), "1: exit status 3\n")
	require.Contains(t, out.String(), "2: killed after 100ms: signal: killed\n")
	require.Equal(t, "3| fine\n3: done\n", of("3", out.String()))
}
