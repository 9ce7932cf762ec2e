package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTooFewDescriptors(t *testing.T) {
	require.Empty(t, tooFewDescriptors(connectionsAllowed()))
	require.NotEmpty(t, tooFewDescriptors(connectionsAllowed()+1))
}
