package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConnectionsWithin(t *testing.T) {
	require.Equal(t, 5000, connectionsWithin(20_000, 5000))
	require.Equal(t, 484, connectionsWithin(1024, 5000))
	require.Equal(t, 1, connectionsWithin(10, 5000))
}

func TestDescriptorLimitIsAtLeastWhatIsOpen(t *testing.T) {
	require.GreaterOrEqual(t, descriptorLimit(), descriptors())
	require.Equal(t, descriptorLimit(), descriptorLimit())
}
