package work

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// What the clock of another process says is what it turns out to have used.
func TestServersProcessorTime(t *testing.T) {
	child, err := harness.StartProgram("sh", "-c",
		`read line; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo "bench answer: done"; read line || true`)
	require.NoError(t, err)
	s := server{child}
	before := s.cpu()
	require.Equal(t, "done", s.ask("work"))
	used := s.cpu() - before
	require.Positive(t, used)

	var own unix.Rusage
	children := func() time.Duration {
		require.NoError(t, unix.Getrusage(unix.RUSAGE_CHILDREN, &own))
		return time.Duration(own.Utime.Nano() + own.Stime.Nano())
	}
	earlier := children()
	require.NoError(t, s.Close())
	require.InDelta(t, float64(children()-earlier), float64(before+used), float64(20*time.Millisecond))
}

func TestProgramSideDrivesTheServerThatIsStarted(t *testing.T) {
	e := Echo{Size: 64, Connections: 2}
	asked := 0
	side := e.ProgramSide("a program", func(buffer int) (*harness.Child, error) {
		asked = buffer
		return inRole("echo-net", buffer)()
	})
	figures := make(reported)
	require.Equal(t, 10, side.Do(figures, 10))
	require.Equal(t, e.buffer(), asked)
	for _, metric := range append(serverMetrics[:2:2], serverNotes...) {
		require.Positive(t, figures[metric], metric)
	}
}

// reported is a Meter that keeps what is reported.
type reported map[string]float64

func (reported) ResetTimer()                           {}
func (reported) StopTimer()                            {}
func (r reported) ReportMetric(v float64, unit string) { r[unit] = v }
