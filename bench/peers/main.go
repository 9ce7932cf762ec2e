// Command peers measures this library beside other libraries that do a part of
// what it does, in Go and in other languages. It is a module of its own, so that
// they are no dependency of the library:
//
//	go run -C bench/peers . -o table.txt
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
	"github.com/trueasync/trueasync-go/bench/peers/foreign"
)

func workloads() []harness.Workload {
	return slices.Concat(
		[]harness.Workload{switches(2), switches(1_000), spawn(), group(), groupOfYielders()},
		echoes(),
	)
}

func main() { os.Exit(run()) }

func run() int {
	defer func() {
		if err := foreign.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	return harness.Main(work.Roles, workloads())
}
