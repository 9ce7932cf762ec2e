package microtask_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/microtask"
)

func nothing() error { return nil }

func TestDtorRunsAtTheLastRelease(t *testing.T) {
	dtors := 0
	task := microtask.New(nothing, func() { dtors++ })
	task.Retain()
	task.Release()
	require.Zero(t, dtors)
	task.Release()
	require.Equal(t, 1, dtors)
}

func TestDtorMayBeNil(t *testing.T) {
	require.NotPanics(t, microtask.New(nothing, nil).Release)
}

func TestCancel(t *testing.T) {
	task := microtask.New(nothing, nil)
	require.False(t, task.Cancelled())
	task.Cancel()
	task.Cancel()
	require.True(t, task.Cancelled())
}

func TestMisusePanics(t *testing.T) {
	const noReference = "microtask: Release of a task that has no reference left"
	dead := func() *microtask.Task {
		task := microtask.New(nothing, nil)
		task.Release()
		return task
	}
	for _, tc := range []struct {
		name, message string
		do            func()
	}{
		{"nil handler", "microtask: New with a nil handler", func() { microtask.New(nil, nil) }},
		{"release after the last", noReference, func() { dead().Release() }},
		{"release of a literal that nobody retained", noReference, func() {
			(&microtask.Task{Handler: nothing}).Release()
		}},
		{"retain after the last release", "microtask: Retain of a task after its last Release", func() {
			dead().Retain()
		}},
		{"retain from the dtor", "microtask: Retain of a task after its last Release", func() {
			var task *microtask.Task
			task = microtask.New(nothing, func() { task.Retain() })
			task.Release()
		}},
		{"push after the last release", "microtask: Retain of a task after its last Release", func() {
			new(microtask.Queue).Push(dead())
		}},
		{"push of nil", "microtask: Push of a task without a handler", func() {
			new(microtask.Queue).Push(nil)
		}},
		{"push without a handler", "microtask: Push of a task without a handler", func() {
			new(microtask.Queue).Push(new(microtask.Task))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) { require.PanicsWithValue(t, tc.message, tc.do) })
	}
}
