package taskgroup

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestOriginsAreStoredOnceForARunOfTasks(t *testing.T) {
	var os origins
	a, b := &scheduler.Origin{}, &scheduler.Origin{}
	for i, o := range []*scheduler.Origin{a, a, a, b, b, a, a} {
		os.push(i, o)
	}
	require.Equal(t, 3, os.runs.Len())
	for i, want := range []*scheduler.Origin{a, a, a, b, b, a, a} {
		require.Same(t, want, os.take(i), "task %d", i)
	}
}

// uncomparable is a ctx that == panics for.
type uncomparable struct {
	context.Context
	_ []int
}

func TestOriginsCompareAnyCtx(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	require.True(t, same(ctx, ctx))
	require.False(t, same(ctx, context.WithoutCancel(ctx)))
	odd := uncomparable{Context: ctx}
	require.False(t, same(odd, odd), "not certainly")
	require.False(t, same(ctx, nil))
}
