package work

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// The figures of an Echo beside the time of a request.
const (
	serverCPU = "ns-server-cpu/op"
	latency99 = "ns-p99"
	loadShare = "%-load-cpu"
)

// Echo is a server that sends back what it is sent, in a process and on a
// processor of its own, and a load that drives it from another: messages of
// Size bytes, one at a time on each of so many Connections.
//
// Requests per second tell little where the load has one processor too: it is
// the limit against any cheap server. What a server costs is its processor
// time for a request.
type Echo struct{ Size, Connections int }

// Echoes are the servers' loads.
func Echoes() []Echo { return []Echo{{64, 1}, {64, 50}, {64, 1000}, {4 << 10, 50}, {64 << 10, 50}} }

func echoes() []harness.Workload {
	all := Echoes()
	out := make([]harness.Workload, len(all))
	for i, e := range all {
		out[i] = e.Workload(e.Side("std net", "echo-net"), e.Side("bare epoll loop", "echo-epoll"))
	}
	return out
}

// Workload compares this library with peers, which are made by [Echo.Side].
func (e Echo) Workload(peers ...harness.Side) harness.Workload {
	return harness.Workload{
		Name:    fmt.Sprintf("echo, %s, %d at once", e.size(), e.Connections),
		Metrics: []string{serverCPU, latency99, harness.TimePerOp},
		Notes:   []string{loadShare},
		Sides:   append([]harness.Side{e.Side(ours, "echo-aio")}, peers...),
	}
}

func (e Echo) size() string {
	if e.Size%1024 == 0 {
		return fmt.Sprintf("%d KiB", e.Size/1024)
	}
	return fmt.Sprintf("%d B", e.Size)
}

// Side is the server that a role made by [EchoRole] plays.
func (e Echo) Side(name, role string) harness.Side {
	return harness.Side{Name: name, Do: func(m harness.Meter, n int) int {
		// The server has the first processor, and thinks there is no other.
		var server *harness.Child
		onProcessor(0, func() {
			var err error
			server, err = harness.StartChild(role, strconv.Itoa(e.Size))
			must(err)
		})
		ask := func(what string) string {
			answer, err := server.Ask(what)
			must(err)
			return answer
		}
		cpu := func() float64 {
			ns, err := strconv.ParseFloat(ask("cpu"), 64)
			must(err)
			return ns
		}
		onProcessor(runtime.NumCPU()-1, func() {
			l, err := newLoad(ask("address"), e.Connections, e.Size)
			must(err)
			must(l.run(e.Connections)) // warms up
			before := cpu()
			m.ResetTimer()
			must(l.run(n))
			m.StopTimer()
			m.ReportMetric((cpu()-before)/float64(n), serverCPU)
			m.ReportMetric(float64(l.percentile(99)), latency99)
			m.ReportMetric(100*l.cpuShare(), loadShare)
			l.close()
		})
		must(server.Close())
		return n
	}}
}

// onProcessor calls fn on a thread that only runs on that processor, as do the
// processes that fn starts.
func onProcessor(cpu int, fn func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, one unix.CPUSet
	must(unix.SchedGetaffinity(0, &before))
	one.Set(cpu)
	must(unix.SchedSetaffinity(0, &one))
	fn()
	must(unix.SchedSetaffinity(0, &before))
}

// EchoRole is a process that serves echoes: serve tells the address it listens
// on, and echoes messages of the given size until the process ends.
func EchoRole(serve func(size int, listening func(address string)) error) harness.Role {
	return func(args []string, requests *bufio.Scanner, answer func(any)) error {
		size, err := strconv.Atoi(args[0])
		if err != nil {
			return fmt.Errorf("echo: %w", err)
		}
		address, failed := make(chan string, 1), make(chan error, 1)
		go func() { failed <- serve(size, func(a string) { address <- a }) }()
		for requests.Scan() {
			switch requests.Text() {
			case "address":
				select {
				case a := <-address:
					answer(a)
				case err := <-failed:
					return err
				}
			case "cpu":
				var t unix.Timespec
				if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
					return fmt.Errorf("echo: processor time: %w", err)
				}
				answer(t.Nano())
			}
		}
		return requests.Err()
	}
}

func init() {
	Roles["echo-net"] = EchoRole(serveNet)
	Roles["echo-epoll"] = EchoRole(serveEpoll)
}

// serveNet is the server that Go offers: a goroutine for each connection.
func serveNet(size int, listening func(string)) error {
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
		go func() { must(echo(c, size)) }()
	}
}

func echo(c net.Conn, size int) error {
	defer c.Close()
	buf := make([]byte, size)
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
