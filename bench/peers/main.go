// Command peers measures this library beside other libraries that do a part of
// what it does. It is a module of its own, so that they are no dependency of
// the library:
//
//	go run -C bench/peers .
package main

import (
	"slices"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
)

func workloads() []harness.Workload {
	return slices.Concat([]harness.Workload{spawn(), group(), groupOfYielders()}, echoes())
}

func main() { harness.Main(work.Roles, workloads()) }
