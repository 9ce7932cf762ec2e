package harness

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModelName(t *testing.T) {
	require.Equal(t, "Example 9000: fast", modelName("processor\t: 0\nmodel name\t: Example 9000: fast\n"))
	require.Equal(t, "unknown processor", modelName("processor\t: 0\n"))
}

func TestMachineNamesTheGoRelease(t *testing.T) {
	require.Contains(t, Machine(), runtime.Version())
}
