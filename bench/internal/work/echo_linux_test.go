package work

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

func smallServers() []harness.Workload {
	out := []harness.Workload{HTTP(3), Idle(20)}
	for _, e := range []Echo{{64, 1, false}, {64, 3, false}, {256 << 10, 2, false}, {64, 3, true}} {
		out = append(out, e.Workload(
			e.Side("net", "echo-net"),
			e.Side("epoll", "echo-epoll"),
		))
	}
	return out
}

func TestEchoOfTooMuchIsSkipped(t *testing.T) {
	require.Contains(t, Echo{Size: 64 << 10, Connections: 10_000}.skip(), "625 MiB")
	require.Empty(t, Echo{Size: 64 << 10, Connections: 50}.skip())
}

func TestEchoesAreOfAllSizesAndNumbers(t *testing.T) {
	all := Echoes()
	for _, size := range []int{64, 4 << 10, 64 << 10} {
		for _, connections := range []int{1, 50, 1_000, 10_000} {
			require.Contains(t, all, Echo{Size: size, Connections: connections})
		}
	}
	require.Contains(t, all, Echo{Size: 64, Connections: 50, BothCores: true})
}
