//go:build !linux

package main

import "github.com/trueasync/trueasync-go/bench/internal/harness"

// echoes are measured on Linux only.
func echoes() []harness.Workload { return nil }
