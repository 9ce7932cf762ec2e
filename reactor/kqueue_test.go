//go:build linux

package reactor_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/poll/kqfake"
	"github.com/trueasync/trueasync-go/reactor"
)

// backendVar, set to kqueue, has every test of this package run on the kqueue
// backend, over a kernel that behaves as the manual pages say.
const backendVar = "REACTOR_TEST_BACKEND"

func init() {
	if os.Getenv(backendVar) == "kqueue" {
		testOptions = append(testOptions, reactor.WithBackend(kqfake.Open))
	}
}

func TestEverythingOnKqueue(t *testing.T) {
	if os.Getenv(backendVar) != "" {
		t.Skip("this is it")
	}
	cmd := exec.Command(os.Args[0], "-test.shuffle=on", "-test.timeout=100s", "-test.skip=AllocateNothing")
	cmd.Env = append(os.Environ(), backendVar+"=kqueue")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}
