package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
	"github.com/trueasync/trueasync-go/bench/peers/foreign"
)

func TestMain(m *testing.M) {
	work.Roles.Play()
	m.Run()
	if err := foreign.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// unmeasured is a Meter that nobody reads.
type unmeasured struct{}

func (unmeasured) ResetTimer()                  {}
func (unmeasured) StopTimer()                   {}
func (unmeasured) ReportMetric(float64, string) {}

func TestEverySideDoesItsWork(t *testing.T) {
	small := slices.Concat(
		[]harness.Workload{switches(2), switches(10), spawn(), group(), groupOfYielders()},
		smallEchoes(),
	)
	for _, w := range small {
		for _, side := range w.Sides {
			t.Run(w.Name+"/"+side.Name, func(t *testing.T) {
				if side.Version != nil {
					if _, err := side.Version(); err != nil {
						t.Skip(err) // which package foreign tests
					}
				}
				for _, n := range []int{1, 1234} {
					if did := side.Do(unmeasured{}, n); did < n {
						t.Errorf("did %d of %d", did, n)
					}
				}
			})
		}
	}
}

// This library is what the others are held against.
func TestNamesAreUniqueAndTheFirstSideIsOurs(t *testing.T) {
	seen := make(map[string]bool)
	for _, w := range workloads() {
		if seen[w.Name] {
			t.Errorf("%s: twice", w.Name)
		}
		seen[w.Name] = true
		if first := w.Sides[0]; first.Name != "trueasync" || first.Version != nil {
			t.Errorf("%s: the first side is %s", w.Name, first.Name)
		}
	}
}

// Benchmark is the table of the command for benchstat.
func Benchmark(b *testing.B) { harness.Benchmark(b, workloads()) }
