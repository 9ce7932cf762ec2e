package reactor_test

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain fails the run if goroutines or descriptors are left when all tests
// have ended. What is ending is given time to end.
func TestMain(m *testing.M) {
	if child := os.Getenv("REACTOR_TEST_CHILD"); child != "" {
		os.Exit(children[child]())
	}
	// Go opens its own poller with the first connection, for good.
	if ln, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = ln.Close()
	}
	before := descriptors()
	code := m.Run()
	if code == 0 && !gone(before) {
		code = 1
	}
	os.Exit(code)
}

func gone(before map[string]string) bool {
	var leak string
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if leak = leaked(before); leak == "" {
			return true
		}
	}
	fmt.Println("left behind:", leak)
	return false
}

func leaked(before map[string]string) string {
	for fd, what := range descriptors() {
		if _, ok := before[fd]; !ok {
			return "descriptor " + fd + ": " + what
		}
	}
	buf := make([]byte, 1<<20)
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")[1:] {
		if strings.Contains(g, "trueasync-go/reactor") || strings.Contains(g, "trueasync-go/internal") {
			return g
		}
	}
	return ""
}

// descriptors are those open in this process, with what they are.
func descriptors() map[string]string {
	open := make(map[string]string)
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return open
	}
	for _, e := range entries {
		if what, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			open[e.Name()] = what
		}
	}
	return open
}

// children are what this test binary does as a child of itself.
var children = map[string]func() int{}
