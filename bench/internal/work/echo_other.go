//go:build !linux

package work

import "github.com/trueasync/trueasync-go/bench/internal/harness"

// echoes are measured on Linux only: the load that drives them is made of epoll.
func echoes() []harness.Workload { return nil }
