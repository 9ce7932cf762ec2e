package work

import (
	"bufio"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// The figures of a server beside the time of a request.
const (
	serverCPU  = "ns-server-cpu/op"
	latency50  = "ns-p50"
	latency99  = "ns-p99"
	latency999 = "ns-p99.9"
	rate       = "req/s"
	loadShare  = "%-load-cpu"
)

// serverMetrics are compared, and serverNotes only printed.
var (
	serverMetrics = []string{serverCPU, latency99, harness.TimePerOp}
	serverNotes   = []string{latency50, latency999, rate, loadShare}
)

// traffic is what a load asks of a server, one request at a time on each of so
// many connections.
type traffic struct {
	request     []byte
	answer      int // bytes that come back
	connections int
	// everywhere has server and load use all processors; otherwise the server has
	// the first, and the load the last.
	everywhere bool
	// warmUp is how many requests come before the measured ones; there is at least
	// one on each connection.
	warmUp int
}

// drive sends n requests, or one on each connection where that is more, to the
// server that start starts.
func (t traffic) drive(m harness.Meter, n int, start starter) int {
	n = max(n, t.connections)
	server := t.startServer(start)
	t.on(runtime.NumCPU()-1, func() {
		l, err := newLoad(server.ask("address"), t)
		must(err)
		must(l.run(max(t.warmUp, t.connections)))
		before := server.cpu()
		m.ResetTimer()
		must(l.run(n))
		m.StopTimer()
		m.ReportMetric(float64(server.cpu()-before)/float64(n), serverCPU)
		m.ReportMetric(float64(l.permille(500)), latency50)
		m.ReportMetric(float64(l.permille(990)), latency99)
		m.ReportMetric(float64(l.permille(999)), latency999)
		m.ReportMetric(float64(n)/l.elapsed.Seconds(), rate)
		m.ReportMetric(100*l.cpuShare(), loadShare)
		l.close()
	})
	must(server.Close())
	return n
}

// on calls fn where the traffic belongs.
func (t traffic) on(cpu int, fn func()) {
	if t.everywhere {
		fn()
		return
	}
	onProcessor(cpu, fn)
}

// starter starts a server's process, which is asked for its "address".
type starter func() (*harness.Child, error)

// inRole is a server that a role made by [ServerRole] plays.
func inRole(role string, buffer int) starter {
	return func() (*harness.Child, error) { return harness.StartChild(role, strconv.Itoa(buffer)) }
}

// startServer starts a server. One that has a processor thinks there is no other.
func (t traffic) startServer(start starter) (s server) {
	t.on(0, func() {
		child, err := start()
		must(err)
		s = server{child}
	})
	return s
}

// servers are the workloads that a load drives.
func servers() []harness.Workload {
	return slices.Concat(echoes(), []harness.Workload{HTTP(1), HTTP(50)}, idle())
}

// server is a process that serves.
type server struct{ *harness.Child }

// cpu is the processor time that all its threads have used, by the clock that the
// kernel keeps for every process: what /proc tells of them, in nanoseconds.
func (s server) cpu() time.Duration {
	clock := ^int32(s.Pid())<<3 | 2 // as clock_getcpuclockid(3) names it
	var t unix.Timespec
	must(unix.ClockGettime(clock, &t))
	return time.Duration(t.Nano())
}

func (s server) ask(what string) string {
	answer, err := s.Ask(what)
	must(err)
	return answer
}

func (s server) number(what string) float64 {
	v, err := strconv.ParseFloat(s.ask(what), 64)
	must(err)
	return v
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

// ServerRole is a process that serves: serve tells the address it listens on, and
// answers requests, read into buffers of the given size, until the process ends.
func ServerRole(serve func(buffer int, listening func(address string)) error) harness.Role {
	return func(args []string, requests *bufio.Scanner, answer func(any)) error {
		buffer, err := strconv.Atoi(args[0])
		if err != nil {
			return fmt.Errorf("server: %w", err)
		}
		address, failed := make(chan string, 1), make(chan error, 1)
		go func() { failed <- serve(buffer, func(a string) { address <- a }) }()
		for requests.Scan() {
			switch requests.Text() {
			case "address":
				select {
				case a := <-address:
					answer(a)
				case err := <-failed:
					return err
				}
			case "memory":
				answer(inUse())
			}
		}
		return requests.Err()
	}
}
