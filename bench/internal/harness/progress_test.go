package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgressIsForTerminals(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	p := newProgress(f)
	p.show(Workload{Name: "w"}, 1, Side{Name: "s"})
	p.clear()
	written, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Empty(t, written)
}

func TestProgressTellsTheRound(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	p := &progress{terminal: w}
	p.show(Workload{Name: "switch"}, 0, Side{Name: "channel"})
	p.show(Workload{Name: "switch"}, 2, Side{Name: "channel", Procs: 1})
	p.clear()
	w.Close()
	buf := make([]byte, 1000)
	n, err := r.Read(buf)
	require.NoError(t, err)
	require.Equal(t, "\r\x1b[Kswitch: warming up, channel"+
		"\r\x1b[Kswitch: round 2, channel, 1 P"+"\r\x1b[K", string(buf[:n]))
}
