package taskgroup_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func TestEachYieldsInTheOrderOfCompletionOnce(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.NewKeyed[string, int](ctx)
		gate := newGate(ctx)
		var completed []string
		for i, key := range []string{"a", "b", "c", "d"} {
			require.NoError(t, g.SpawnWithKey(ctx, key, func(ctx context.Context) (int, error) {
				_, err := gate.ch.Recv(ctx)
				completed = append(completed, key)
				if key == "c" {
					return 0, errBoom
				}
				return i, err
			}))
		}
		g.Seal()
		scheduler.Go(ctx, func(ctx context.Context) error {
			for range 4 {
				gate.open(ctx)
				settle(ctx, 3)
			}
			return nil
		})
		var keys []string
		for key, r := range g.Each(ctx) {
			keys = append(keys, key)
			if key == "c" {
				require.Same(t, errBoom, r.Err)
			} else {
				require.NoError(t, r.Err)
				require.Equal(t, int(key[0]-'a'), r.Value)
			}
		}
		require.Len(t, keys, 4)
		require.Equal(t, completed, keys)
		for range g.Each(ctx) {
			t.Fatal("yielded again")
		}
	})
}

func TestEachBrokenOffGoesOnInTheNextLoop(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3))
		for i := range 10 {
			require.NoError(t, g.Spawn(ctx, after(i%3, value(i))))
		}
		g.Seal()
		seen := map[int]int{}
		loops := 0
		for len(seen) < 10 {
			loops++
			n := 0
			for key, r := range g.Each(ctx) {
				require.Equal(t, key, r.Value)
				seen[key]++
				if n++; n == 2 {
					break
				}
			}
		}
		require.Equal(t, 5, loops)
		for _, n := range seen {
			require.Equal(t, 1, n)
		}
	})
}

func TestLoopsAtTheSameTimeShareOneCursor(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
		seen := map[int]int{}
		var loops []*scheduler.Coroutine
		for range 3 {
			loops = append(loops, scheduler.Go(ctx, func(ctx context.Context) error {
				for key := range g.Each(ctx) {
					seen[key]++
					settle(ctx, key%2)
				}
				return nil
			}))
		}
		for i := range 20 {
			require.NoError(t, g.Spawn(ctx, after(i%4, value(i))))
		}
		g.Seal()
		for _, c := range loops {
			require.NoError(t, c.Await(ctx))
		}
		require.Len(t, seen, 20)
		for key, n := range seen {
			require.Equal(t, 1, n, "task %d", key)
		}
	})
}

func TestEachEndsWithItsCtxAndLosesNothing(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, after(4, value(1))))
		short, cancel := context.WithCancel(ctx)
		scheduler.Go(ctx, func(context.Context) error { cancel(); return nil })
		got := 0
		for range g.Each(short) {
			got++
		}
		require.ErrorIs(t, short.Err(), context.Canceled)
		g.Seal()
		for !g.IsFinished() {
			settle(ctx, 1)
		}
		for range g.Each(short) {
			t.Fatal("yielded under a ctx that has ended")
		}
		for range g.Each(ctx) {
			got++
		}
		require.Equal(t, 1, got)
	})
}

func TestEachOfAnEmptySealedGroupEnds(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		waiting := scheduler.Go(ctx, func(ctx context.Context) error {
			for range g.Each(ctx) {
				t.Error("yielded")
			}
			return nil
		})
		settle(ctx, 3)
		require.NotEqual(t, scheduler.Finished, waiting.State())
		g.Seal()
		require.NoError(t, waiting.Await(ctx))
	})
}

func TestEachOfAGroupThatIsDisposedMeanwhileEnds(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
		for range 5 {
			require.NoError(t, g.Spawn(ctx, parked))
		}
		require.NoError(t, g.Spawn(ctx, value(5)))
		scheduler.Go(ctx, func(ctx context.Context) error {
			settle(ctx, 2)
			return g.Dispose()
		})
		cancelled := 0
		for _, r := range g.Each(ctx) {
			require.ErrorIs(t, r.Err, context.Canceled)
			cancelled++
		}
		require.Equal(t, 6, cancelled)
	})
}

func TestABodyOfEachMayDoAnythingToTheGroup(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, value(3)))
		sum := 0
		for _, r := range g.Each(ctx) {
			sum += r.Value
			if r.Value > 0 {
				require.NoError(t, g.Spawn(ctx, value(r.Value-1)))
			} else {
				g.Seal()
			}
		}
		require.Equal(t, 6, sum)
		require.Equal(t, 4, g.Count())
	})
}

func TestEachOfACoroutineThatIsCancelledEnds(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		defer g.Cancel(nil)
		require.NoError(t, g.Spawn(ctx, parked))
		loop := scheduler.Go(ctx, func(ctx context.Context) error {
			for range g.Each(ctx) {
				t.Error("yielded")
			}
			return ctx.Err()
		})
		settle(ctx, 2)
		loop.Cancel(nil)
		require.ErrorIs(t, loop.Await(ctx), context.Canceled)
	})
}
