package work

import (
	"bufio"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
)

// The figures of a server beside the time of a request.
const (
	serverCPU  = "ns-server-cpu/op"
	latency99  = "ns-p99"
	latency999 = "ns-p99.9"
	loadShare  = "%-load-cpu"
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
}

// drive sends n requests, or one on each connection where that is more, to a
// process in that role.
func (t traffic) drive(m harness.Meter, n int, role string, buffer int) int {
	n = max(n, t.connections)
	server := t.startServer(role, buffer)
	t.on(runtime.NumCPU()-1, func() {
		l, err := newLoad(server.ask("address"), t)
		must(err)
		must(l.run(t.connections)) // warms up
		before := server.number("cpu")
		m.ResetTimer()
		must(l.run(n))
		m.StopTimer()
		m.ReportMetric((server.number("cpu")-before)/float64(n), serverCPU)
		m.ReportMetric(float64(l.permille(990)), latency99)
		m.ReportMetric(float64(l.permille(999)), latency999)
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

// startServer starts a server. One that has a processor thinks there is no other.
func (t traffic) startServer(role string, buffer int) (s server) {
	t.on(0, func() {
		child, err := harness.StartChild(role, strconv.Itoa(buffer))
		must(err)
		s = server{child}
	})
	return s
}

// servers are the workloads that a load drives.
func servers() []harness.Workload {
	return slices.Concat(echoes(), []harness.Workload{HTTP(1), HTTP(50)}, idle())
}

// server is a process in a role made by [ServerRole].
type server struct{ *harness.Child }

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
			case "cpu":
				var t unix.Timespec
				if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
					return fmt.Errorf("server: processor time: %w", err)
				}
				answer(t.Nano())
			case "memory":
				answer(inUse())
			}
		}
		return requests.Err()
	}
}
