package main

import (
	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
)

func init() {
	work.Roles["echo-gnet"] = work.ServerRole(serveGnet)
	work.Roles["echo-netpoll"] = work.ServerRole(serveNetpoll)
	work.Roles["echo-nbio"] = work.ServerRole(serveNbio)
}

// echoes are the loads of package work on other libraries' servers.
func echoes() []harness.Workload {
	all := work.Echoes()
	out := make([]harness.Workload, len(all))
	for i, e := range all {
		out[i] = e.Workload(
			e.Side("gnet", "echo-gnet"),
			e.Side("netpoll", "echo-netpoll"),
			e.Side("nbio", "echo-nbio"),
		)
	}
	return out
}
