package main

import (
	"strconv"

	"github.com/panjf2000/gnet/v2"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/bench/internal/work"
	"github.com/trueasync/trueasync-go/bench/peers/foreign"
)

func init() {
	work.Roles["echo-gnet"] = work.ServerRole(serveGnet())
	work.Roles["echo-gnet-multicore"] = work.ServerRole(serveGnet(gnet.WithMulticore(true)))
	work.Roles["echo-gnet-reuseport"] = work.ServerRole(serveGnet(gnet.WithMulticore(true), gnet.WithReusePort(true)))
	work.Roles["echo-netpoll"] = work.ServerRole(serveNetpoll)
	work.Roles["echo-nbio"] = work.ServerRole(serveNbio)
}

// echoes are the loads of package work on other servers.
func echoes() []harness.Workload {
	all := work.Echoes()
	out := make([]harness.Workload, len(all))
	for i, e := range all {
		out[i] = echo(e)
	}
	return out
}

// echo is e on Go's libraries and, where the messages are small and the connections
// not too many, on other languages' servers.
func echo(e work.Echo) harness.Workload {
	peers := gnetSides(e)
	peers = append(peers,
		from(netpollModule, e.Side("netpoll", "echo-netpoll")),
		from(nbioModule, e.Side("nbio", "echo-nbio")),
	)
	if e.Size == 64 && e.Connections <= 1_000 && !e.BothCores { // they have one thread
		peers = append(peers,
			foreignEcho(e, "libuv", foreign.Libuv, "echo"),
			foreignEcho(e, "Node net", foreign.Node, "echo"),
			foreignEcho(e, "asyncio Protocol", foreign.Asyncio, "protocol"),
			foreignEcho(e, "asyncio streams", foreign.Asyncio, "streams"),
		)
	}
	return e.Workload(peers...)
}

// gnetSides are gnet with one loop, or with one on each processor, to which it has
// two ways of giving out connections.
func gnetSides(e work.Echo) []harness.Side {
	if !e.BothCores {
		return []harness.Side{from(gnetModule, e.Side("gnet, one loop", "echo-gnet"))}
	}
	return []harness.Side{
		from(gnetModule, e.Side("gnet multicore", "echo-gnet-multicore")),
		from(gnetModule, e.Side("gnet multicore, ReusePort", "echo-gnet-reuseport")),
	}
}

// foreignEcho is a program's server, told what to be.
func foreignEcho(e work.Echo, name string, p *foreign.Program, what string) harness.Side {
	side := e.ProgramSide(name, func(buffer int) (*harness.Child, error) {
		return p.Start(what, strconv.Itoa(buffer))
	})
	side.Version = p.Version
	return side
}
