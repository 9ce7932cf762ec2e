package work

import (
	"fmt"
	"io"
	"net"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// Echo is a server that sends back what it is sent, in a process and on a
// processor of its own, and a load that drives it from another: messages of
// Size bytes, one at a time on each of so many Connections. With BothCores nobody
// is given a processor of its own, and a server may use all there are.
//
// Requests per second tell little where the load has one processor too: it is
// the limit against any cheap server. What a server costs is its processor
// time for a request.
type Echo struct {
	Size, Connections int
	BothCores         bool
}

// Echoes are the servers' loads.
func Echoes() (all []Echo) {
	for _, size := range []int{64, 4 << 10, 64 << 10} {
		for _, connections := range []int{1, 50, 1_000, 10_000} {
			all = append(all, Echo{Size: size, Connections: connections})
		}
	}
	return append(all,
		Echo{Size: 64, Connections: 50, BothCores: true},
		Echo{Size: 64, Connections: 1_000, BothCores: true},
		Echo{Size: 4 << 10, Connections: 50, BothCores: true},
	)
}

func echoes() []harness.Workload {
	all := Echoes()
	out := make([]harness.Workload, len(all))
	for i, e := range all {
		peers := []harness.Side{e.Side("std net", "echo-net")}
		if !e.BothCores { // the loop has one thread
			peers = append(peers, e.Side("bare epoll loop", "echo-epoll"))
		}
		out[i] = e.Workload(peers...)
	}
	return out
}

// Workload compares this library with peers, which are made by [Echo.Side].
func (e Echo) Workload(peers ...harness.Side) harness.Workload {
	return harness.Workload{
		Name:    e.name(),
		Skip:    e.skip(),
		Metrics: serverMetrics,
		Notes:   serverNotes,
		Sides:   append([]harness.Side{e.Side(ours, e.role())}, peers...),
	}
}

// mostInFlight is how many bytes of messages may be under way at once. More than
// this and their buffers, in the processes and in the sockets of both, go by the
// gigabyte: the kernel begins to hold back, and that is what would be measured.
const mostInFlight = 256 << 20

// skip is why e cannot be measured on this machine, "" where it can.
func (e Echo) skip() string {
	if inFlight := e.Size * e.Connections; inFlight > mostInFlight {
		return fmt.Sprintf("%d MiB under way at once would measure the kernel's limits of memory", inFlight>>20)
	}
	return tooFewDescriptors(e.Connections)
}

func (e Echo) name() string {
	name := fmt.Sprintf("echo, %s, %d at once", e.size(), e.Connections)
	if e.BothCores {
		name += ", both cores"
	}
	return name
}

func (e Echo) role() string {
	if e.BothCores {
		return "echo-aio-shards"
	}
	return "echo-aio"
}

// buffer is what a server reads into: more than a message, as it would be where
// messages are not all alike. Whoever reads as much as he asked for must ask once
// more to know that there is nothing left.
func (e Echo) buffer() int { return max(4<<10, 2*e.Size) }

func (e Echo) size() string {
	if e.Size%1024 == 0 {
		return fmt.Sprintf("%d KiB", e.Size/1024)
	}
	return fmt.Sprintf("%d B", e.Size)
}

// Side is the server that a role made by [ServerRole] plays.
func (e Echo) Side(name, role string) harness.Side {
	return e.ProgramSide(name, func(buffer int) (*harness.Child, error) { return inRole(role, buffer)() })
}

// ProgramSide is a server that is no role of this program: start is told the size
// of its buffers.
func (e Echo) ProgramSide(name string, start func(buffer int) (*harness.Child, error)) harness.Side {
	t := e.traffic()
	return harness.Side{Name: name, Do: func(m harness.Meter, n int) int {
		return t.drive(m, n, func() (*harness.Child, error) { return start(e.buffer()) })
	}}
}

func (e Echo) traffic() traffic {
	return traffic{
		request: make([]byte, e.Size), answer: e.Size, connections: e.Connections,
		everywhere: e.BothCores,
		// Enough for memory to have grown, and for Node to have compiled what it runs.
		warmUp: min(3_000, 16<<20/e.Size),
	}
}

func init() {
	Roles["echo-net"] = ServerRole(serveNet)
	Roles["echo-epoll"] = ServerRole(serveEpoll)
}

// serveNet is the server that Go offers: a goroutine for each connection.
func serveNet(buffer int, listening func(string)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	listening(l.Addr().String())
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() { must(echo(c, buffer)) }()
	}
}

func echo(c net.Conn, buffer int) error {
	defer c.Close()
	buf := make([]byte, buffer)
	for {
		n, err := c.Read(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return err
		}
	}
}
