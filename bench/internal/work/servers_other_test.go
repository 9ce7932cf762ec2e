//go:build !linux

package work

import "github.com/trueasync/trueasync-go/bench/internal/harness"

func smallServers() []harness.Workload { return nil }
