package microtask_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/microtask"
)

// recorder makes tasks that write down when they run and when they are
// released, and keeps no reference to them.
type recorder struct {
	q           microtask.Queue
	ran, dtored []string
}

func (r *recorder) task(name string, then func() error) *microtask.Task {
	return microtask.New(
		func() error {
			r.ran = append(r.ran, name)
			if then != nil {
				return then()
			}
			return nil
		},
		func() { r.dtored = append(r.dtored, name) },
	)
}

// push queues a task, and returns it with the queue as its only owner.
func (r *recorder) push(name string, then func() error) *microtask.Task {
	t := r.task(name, then)
	r.q.Push(t)
	t.Release()
	return t
}

func TestDrainIsFIFO(t *testing.T) {
	var r recorder
	for _, name := range []string{"a", "b", "c"} {
		r.push(name, nil)
	}
	require.Equal(t, 3, r.q.Len())
	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 3, ran)
	require.Equal(t, []string{"a", "b", "c"}, r.ran)
	require.Equal(t, r.ran, r.dtored)
	require.Zero(t, r.q.Len())

	ran, err = r.q.Drain(0)
	require.NoError(t, err)
	require.Zero(t, ran)
}

func TestDrainRunsWhatIsPushedMeanwhile(t *testing.T) {
	var r recorder
	r.push("a", func() error { r.push("c", nil); return nil })
	r.push("b", nil)
	ran, err := r.q.Drain(-1)
	require.NoError(t, err)
	require.Equal(t, 3, ran)
	require.Equal(t, []string{"a", "b", "c"}, r.ran)
}

func TestDrainStopsAtTheFirstError(t *testing.T) {
	var r recorder
	failure := errors.New("no")
	r.push("a", nil)
	r.push("b", func() error { return failure })
	r.push("c", nil)

	ran, err := r.q.Drain(0)
	require.Equal(t, failure, err)
	require.Equal(t, 2, ran, "the one that failed counts")
	require.Equal(t, []string{"a", "b"}, r.dtored, "and is released")
	require.Equal(t, 1, r.q.Len())

	ran, err = r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
	require.Equal(t, []string{"a", "b", "c"}, r.ran)
}

func TestDrainKeepsToItsBudget(t *testing.T) {
	var r recorder
	cancelled := r.push("cancelled", nil)
	for _, name := range []string{"a", "b", "c"} {
		r.push(name, nil)
	}
	cancelled.Cancel()
	ran, err := r.q.Drain(2)
	require.NoError(t, err)
	require.Equal(t, 2, ran, "cancelled tasks use up no budget")
	require.Equal(t, []string{"a", "b"}, r.ran)
	require.Equal(t, []string{"cancelled", "a", "b"}, r.dtored)
	require.Equal(t, 1, r.q.Len())
}

func TestTaskIsOutOfTheQueueWhileItRuns(t *testing.T) {
	var r recorder
	r.push("a", func() error {
		require.Zero(t, r.q.Len())
		require.Empty(t, r.dtored, "released only after its run")
		return nil
	})
	_, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, r.dtored)
}

func TestDrainWithinAHandler(t *testing.T) {
	var r recorder
	r.push("a", func() error {
		ran, err := r.q.Drain(1)
		require.Equal(t, 1, ran)
		return err
	})
	r.push("b", nil)
	r.push("c", nil)
	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 2, ran, "b was the inner drain's")
	require.Equal(t, []string{"a", "b", "c"}, r.ran)
}

func TestPanicReleasesItsTaskAndLeavesTheRest(t *testing.T) {
	var r recorder
	r.push("a", func() error { panic("a broke") })
	r.push("b", nil)
	require.PanicsWithValue(t, "a broke", func() { _, _ = r.q.Drain(0) })
	require.Equal(t, []string{"a"}, r.dtored)
	require.Equal(t, 1, r.q.Len())

	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
	require.Equal(t, []string{"a", "b"}, r.dtored)
}

func TestGoexitReleasesItsTaskAndLeavesTheRest(t *testing.T) {
	var r recorder
	r.push("a", func() error { runtime.Goexit(); return nil })
	r.push("b", nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = r.q.Drain(0)
	}()
	<-ended
	require.Equal(t, []string{"a"}, r.dtored)
	require.Equal(t, 1, r.q.Discard())
}

func TestCancelledTaskIsReleasedInTurn(t *testing.T) {
	var r recorder
	r.push("a", nil)
	b := r.push("b", nil)
	r.push("c", nil)
	b.Cancel()
	require.Equal(t, 3, r.q.Len(), "it keeps its place")
	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 2, ran)
	require.Equal(t, []string{"a", "c"}, r.ran)
	require.Equal(t, []string{"a", "b", "c"}, r.dtored)
}

func TestPushOfACancelledTaskDoesNothing(t *testing.T) {
	var r recorder
	task := r.task("a", nil)
	task.Cancel()
	r.q.Push(task)
	require.Zero(t, r.q.Len())
	task.Release() // the only reference: the queue took none
	require.Equal(t, []string{"a"}, r.dtored)
}

func TestPushAgain(t *testing.T) {
	var r recorder
	left := 3
	var task *microtask.Task
	task = r.task("a", func() error {
		if left--; left > 0 {
			r.q.Push(task)
		}
		return nil
	})
	r.q.Push(task)
	task.Release()
	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 3, ran)
	require.Equal(t, []string{"a"}, r.dtored)
}

func TestTaskQueuedTwiceRunsTwice(t *testing.T) {
	var r recorder
	task := r.task("a", nil)
	r.q.Push(task)
	r.q.Push(task)
	task.Release()
	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 2, ran)
	require.Equal(t, []string{"a"}, r.dtored)
}

func TestLiteralBelongsToItsQueue(t *testing.T) {
	var q microtask.Queue
	dtors := 0
	q.Push(&microtask.Task{Handler: nothing, Dtor: func() { dtors++ }})
	_, err := q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, 1, dtors)
}

func TestDiscard(t *testing.T) {
	var r recorder
	a := r.push("a", nil)
	b := r.push("b", nil)
	b.Cancel()
	last := microtask.New(nothing, func() { r.push("pushed by a dtor", nil) })
	r.q.Push(last)
	last.Release()

	require.Equal(t, 4, r.q.Discard())
	require.Empty(t, r.ran)
	require.Equal(t, []string{"a", "b", "pushed by a dtor"}, r.dtored)
	require.True(t, a.Cancelled())
	require.Zero(t, r.q.Len())
	require.Zero(t, r.q.Discard())
}

func TestDiscardGoesOnAfterADtorPanicked(t *testing.T) {
	var r recorder
	broken := microtask.New(nothing, func() { panic("dtor broke") })
	r.q.Push(broken)
	broken.Release()
	r.push("b", nil)
	require.PanicsWithValue(t, "dtor broke", func() { r.q.Discard() })
	require.Equal(t, 1, r.q.Discard())
	require.Equal(t, []string{"b"}, r.dtored)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	var q microtask.Queue
	task := microtask.New(nothing, nil)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for range 100 {
			q.Push(task)
		}
		_, _ = q.Drain(0)
	}))
}

// A microtask that spawns and cancels others in the middle of a drain
// disturbs neither the order nor the ownership of the rest.
func TestFault_TA20_SpawnAndCancelWithinADrain(t *testing.T) {
	var r recorder
	var worker3 *microtask.Task
	var self *microtask.Task
	self = r.task("spawner", func() error {
		r.push("worker1", func() error {
			worker3.Cancel()
			r.push("worker4", nil)
			return nil
		})
		r.push("worker2", nil)
		worker3 = r.push("worker3", nil)
		self.Cancel() // the one that runs: its workers must come all the same
		return nil
	})
	r.q.Push(self)
	self.Release()
	r.push("bystander", nil)

	ran, err := r.q.Drain(0)
	require.NoError(t, err)
	require.Equal(t, []string{"spawner", "bystander", "worker1", "worker2", "worker4"}, r.ran)
	require.Equal(t, len(r.ran), ran)
	require.Equal(t, []string{"spawner", "bystander", "worker1", "worker2", "worker3", "worker4"}, r.dtored)
}

// A task that queues itself for ever holds a bounded drain no longer than its
// budget, and nobody queued beside it waits for more than one turn.
func TestFault_LU4_EndlessTaskKeepsToTheBudget(t *testing.T) {
	var r recorder
	var endless *microtask.Task
	endless = r.task("endless", func() error { r.q.Push(endless); return nil })
	r.q.Push(endless)
	r.push("other", nil)

	ran, err := r.q.Drain(10)
	require.NoError(t, err)
	require.Equal(t, 10, ran)
	require.Equal(t, []string{"endless", "other", "endless"}, r.ran[:3])
	require.Equal(t, 1, r.q.Len())
	require.Equal(t, 1, r.q.Discard())
	endless.Release()
	require.Equal(t, []string{"other", "endless"}, r.dtored)
}

func BenchmarkPushDrain(b *testing.B) {
	var q microtask.Queue
	task := microtask.New(nothing, nil)
	b.ReportAllocs()
	for b.Loop() {
		q.Push(task)
		_, _ = q.Drain(0)
	}
}
