package work

import "github.com/trueasync/trueasync-go/bench/internal/harness"

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
