package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

// On virtual time the figures are exact.
func TestHedgingCutsOffTheTail(t *testing.T) {
	var out bytes.Buffer
	clock := schedtest.NewClock(time.Unix(0, 0))
	schedtest.Run(t, func(ctx context.Context) error { return compare(ctx, &out) }, scheduler.WithClock(clock))
	t.Log(out.String())
	require.Regexp(t, `plain   half within 2(\.\d)?ms, 99 of 100 within 100ms, all within 100ms, with 1000 requests sent`, out.String())
	require.Regexp(t, `hedged  half within 2(\.\d)?ms, 99 of 100 within [78](\.\d)?ms, all within \S+, with 10[3-9]\d requests sent`, out.String())
}
