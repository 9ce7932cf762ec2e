//go:build !linux

package main

import "github.com/trueasync/trueasync-go/bench/internal/harness"

func smallEchoes() []harness.Workload { return nil }
