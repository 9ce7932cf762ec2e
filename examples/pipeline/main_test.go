package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

func TestPipelineCountsInAnyOrder(t *testing.T) {
	schedtest.Seeds(t, 50, func(ctx context.Context) error {
		counts, err := count(ctx, strings.Split(text, "\n"))
		require.NoError(t, err)
		var out bytes.Buffer
		report(&out, counts)
		require.Equal(t, "3× a\n3× one\n2× all\n2× at\n2× no\n", out.String())
		return nil
	})
}

func TestAFailureEndsEveryStageAndIsGivenOnce(t *testing.T) {
	schedtest.Seeds(t, 50, func(ctx context.Context) error {
		many := append([]string{"good", "bad \x00"}, make([]string, 1000)...)
		_, err := count(ctx, many)
		require.ErrorContains(t, err, `task split`)
		require.ErrorContains(t, err, `not text: "bad \x00"`)
		require.Equal(t, 1, strings.Count(err.Error(), "not text"))
		return nil
	})
}
