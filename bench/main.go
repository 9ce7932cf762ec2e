// Command bench measures this library beside what Go offers by itself, and
// prints the ratios:
//
//	go run ./bench -o table.txt
//
// README.md says what each row means.
package main

import (
	"os"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
)

func main() { os.Exit(harness.Main(work.Roles, work.All())) }
