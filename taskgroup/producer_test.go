package taskgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// gate lets tasks through one by one.
type gate struct{ ch *scheduler.Channel[struct{}] }

func newGate(ctx context.Context) gate { return gate{scheduler.NewChannel[struct{}](ctx, 0)} }

func (g gate) task(v int) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		_, err := g.ch.Recv(ctx)
		return v, err
	}
}

func (g gate) open(ctx context.Context) { _ = g.ch.Send(ctx, struct{}{}) }

// produce spawns the task under key in a coroutine of its own; what the Spawn
// returned is the coroutine's error.
func produce(ctx context.Context, g *taskgroup.Group[int, int], key int, task func(context.Context) (int, error)) *scheduler.Future[int] {
	return scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
		return key, g.SpawnWithKey(ctx, key, task)
	})
}

// queueUp waits for the producers to be in line, in the order of the arguments.
func queueUp(t *testing.T, ctx context.Context, make ...func() *scheduler.Future[int]) (fs []*scheduler.Future[int]) {
	for _, m := range make {
		f := m()
		settle(ctx, 3)
		require.False(t, f.Done(), "it does not wait")
		fs = append(fs, f)
	}
	return fs
}

func TestSpawnWaitsForRoomInOrder(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(2))
		gate := newGate(ctx)
		for i := range 3 { // one runs, two wait
			require.NoError(t, g.SpawnWithKey(ctx, i, gate.task(i)))
		}
		var ps []func() *scheduler.Future[int]
		for i := 3; i < 6; i++ {
			ps = append(ps, func() *scheduler.Future[int] { return produce(ctx, g, i, gate.task(i)) })
		}
		fs := queueUp(t, ctx, ps...)
		require.Equal(t, 3, g.Count())
		for i, f := range fs {
			gate.open(ctx)
			_, err := f.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, 4+i, g.Count())
		}
		for range 3 {
			gate.open(ctx)
		}
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2, 3, 4, 5}, results.Keys())
	})
}

func TestQueueLimitLeavesTheQueueNoLongerThanThat(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3), taskgroup.QueueLimit(4))
		for i := range 50 {
			require.NoError(t, g.Spawn(ctx, after(i%4, value(i))))
			require.LessOrEqual(t, g.Count()-g.GetResults().Len(), 7)
		}
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 50, results.Len())
	})
}

func TestAProducerIsWokenByTheEndOfTheGroupOrOfItsOwnCtx(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(ctx context.Context, g *taskgroup.Group[int, int], cancel func())
		want []error
	}{
		"sealed":   {func(_ context.Context, g *taskgroup.Group[int, int], _ func()) { g.Seal() }, []error{taskgroup.ErrSealed}},
		"cancel":   {func(_ context.Context, g *taskgroup.Group[int, int], _ func()) { g.Cancel(errBoom) }, []error{taskgroup.ErrSealed}},
		"disposed": {func(_ context.Context, g *taskgroup.Group[int, int], _ func()) { _ = g.Dispose() }, []error{taskgroup.ErrSealed}},
		"scope":    {func(_ context.Context, g *taskgroup.Group[int, int], _ func()) { g.Scope().Cancel(errBoom) }, []error{taskgroup.ErrSealed}},
		"ctx":      {func(_ context.Context, _ *taskgroup.Group[int, int], cancel func()) { cancel() }, []error{context.Canceled, errBang}},
		"ctx, then sealed": {func(_ context.Context, g *taskgroup.Group[int, int], cancel func()) {
			cancel()
			g.Seal()
		}, []error{context.Canceled, errBang}},
		"sealed, then ctx": {func(_ context.Context, g *taskgroup.Group[int, int], cancel func()) {
			g.Seal()
			cancel()
		}, []error{taskgroup.ErrSealed}},
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) {
				g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
				defer g.Cancel(nil)
				require.NoError(t, g.Spawn(ctx, parked))
				require.NoError(t, g.Spawn(ctx, parked))
				var cancel context.CancelCauseFunc
				waiting := queueUp(t, ctx, func() *scheduler.Future[int] {
					return scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
						ctx, cancel = context.WithCancelCause(ctx)
						return 0, g.Spawn(ctx, value(9))
					})
				})[0]
				c.end(ctx, g, func() { cancel(errBang) })
				_, err := waiting.Await(ctx)
				for _, want := range c.want {
					require.ErrorIs(t, err, want)
				}
				require.Equal(t, 2, g.Count())
			})
		})
	}
}

func TestAKeyThatBecomesTakenWhileSpawnWaitsIsRefused(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
		gate := newGate(ctx)
		require.NoError(t, g.SpawnWithKey(ctx, 0, gate.task(0)))
		require.NoError(t, g.SpawnWithKey(ctx, 1, gate.task(1)))
		fs := queueUp(t, ctx,
			func() *scheduler.Future[int] { return produce(ctx, g, 7, value(7)) },
			func() *scheduler.Future[int] { return produce(ctx, g, 7, value(8)) },
			func() *scheduler.Future[int] { return produce(ctx, g, 9, value(9)) },
		)
		gate.open(ctx)
		_, err := fs[0].Await(ctx)
		require.NoError(t, err)
		gate.open(ctx)
		_, err = fs[1].Await(ctx)
		require.ErrorIs(t, err, taskgroup.ErrDuplicateKey)
		_, err = fs[2].Await(ctx)
		require.NoError(t, err, "the one behind has the room")
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, map[int]int{0: 0, 1: 1, 7: 7, 9: 9}, results.Map())
	})
}

func TestAProducerResumedByAnybodyWaitsOn(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
		gate := newGate(ctx)
		require.NoError(t, g.SpawnWithKey(ctx, 0, gate.task(0)))
		require.NoError(t, g.SpawnWithKey(ctx, 1, gate.task(1)))
		var c *scheduler.Coroutine
		done := false
		scheduler.Go(ctx, func(ctx context.Context) error {
			c = scheduler.Current(ctx)
			err := g.SpawnWithKey(ctx, 2, value(2))
			done = true
			return err
		})
		settle(ctx, 3)
		require.NoError(t, c.Resume(nil))
		settle(ctx, 3)
		require.False(t, done)
		gate.open(ctx)
		gate.open(ctx)
		for !done {
			settle(ctx, 1)
		}
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, []int{0, 1, 2}, results.Values())
	})
}

func TestRoomForWhichEverybodyHasGivenUpIsThereForTheNext(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g, gate, fs := waitingProducers(t, ctx, 2)
		for _, f := range fs {
			f.Cancel(errBoom)
		}
		gate.ch.TrySend(struct{}{})
		for _, f := range fs {
			require.ErrorIs(t, mustFail(f.Await(ctx)), errBoom)
		}
		settle(ctx, 3)
		require.NoError(t, g.SpawnWithKey(ctx, 5, value(5)))
		require.Equal(t, []int{0, 1, 5}, drain(t, ctx, g, gate))
	})
}
