package work

import "github.com/trueasync/trueasync-go/bench/internal/harness"

func smallEchoes() []harness.Workload {
	var out []harness.Workload
	for _, e := range []Echo{{64, 1}, {64, 3}, {256 << 10, 2}} {
		out = append(out, e.Workload(
			e.Side("net", "echo-net"),
			e.Side("epoll", "echo-epoll"),
		))
	}
	return out
}
