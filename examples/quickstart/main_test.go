package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestTour(t *testing.T) {
	require.NoError(t, scheduler.Run(t.Context(), tour))
}
