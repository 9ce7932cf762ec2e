package main

import (
	"fmt"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
	"github.com/trueasync/trueasync-go/bench/peers/foreign"
)

// switches is work.Switch beside other languages.
func switches(count int) harness.Workload {
	w := work.Switch(count)
	request := fmt.Sprint("switch ", count)
	w.Sides = append(w.Sides,
		foreign.Boost.Side("Boost.Context fiber", request),
		foreign.PHP.Side("PHP Fiber", request),
		foreign.Node.Side("Node, await null", request),
		foreign.Node.Side("Node, await setImmediate", fmt.Sprint("switch-immediate ", count)),
		foreign.Asyncio.Side("asyncio, sleep(0)", request),
	)
	return w
}
