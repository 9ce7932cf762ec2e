// Command peers measures this library beside other libraries that do a part of
// what it does, in Go and in other languages. It is a module of its own, so that
// they are no dependency of the library:
//
//	go run -C bench/peers . -o table.txt
package main

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

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
	defer remove()
	go func() {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
		<-stop
		remove()
		os.Exit(1) // which ends the inputs of all that has been started
	}()
	return harness.Main(work.Roles, workloads())
}

// remove leaves nothing behind of what was built.
func remove() {
	if err := foreign.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
