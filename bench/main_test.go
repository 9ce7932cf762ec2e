package main

import (
	"testing"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
)

func TestMain(m *testing.M) {
	work.Roles.Play()
	m.Run()
}

// Benchmark is the table of go run ./bench for benchstat.
func Benchmark(b *testing.B) { harness.Benchmark(b, work.All()) }
