package main

import (
	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
)

// smallEchoes have every server on them.
func smallEchoes() []harness.Workload {
	return []harness.Workload{
		echo(work.Echo{Size: 64, Connections: 1}),
		echo(work.Echo{Size: 64, Connections: 3}),
		echo(work.Echo{Size: 256 << 10, Connections: 2}),
		echo(work.Echo{Size: 64, Connections: 3, BothCores: true}),
	}
}
