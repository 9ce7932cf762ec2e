//go:build !linux

package work

import "github.com/trueasync/trueasync-go/bench/internal/harness"

// servers are measured on Linux only: the load that drives them is made of epoll.
func servers() []harness.Workload { return nil }
