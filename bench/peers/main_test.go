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

// unmeasured is a Meter that nobody reads.
type unmeasured struct{}

func (unmeasured) ResetTimer()                  {}
func (unmeasured) StopTimer()                   {}
func (unmeasured) ReportMetric(float64, string) {}

func TestEverySideDoesItsWork(t *testing.T) {
	for _, w := range workloads() {
		for _, side := range w.Sides {
			t.Run(w.Name+"/"+side.Name, func(t *testing.T) {
				for _, n := range []int{1, 1234} {
					if did := side.Do(unmeasured{}, n); did < n {
						t.Errorf("did %d of %d", did, n)
					}
				}
			})
		}
	}
}

// Benchmark is the table of the command for benchstat.
func Benchmark(b *testing.B) { harness.Benchmark(b, workloads()) }
