package taskgroup_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// twoFail spawns tasks 0 and 2, which fail, and 1, which does not; the last to fail
// is 0.
func twoFail(t *testing.T, ctx context.Context, g *taskgroup.Group[int, int]) {
	slow := func(ctx context.Context) (int, error) {
		for g.Count() < 3 || len(g.GetResults().Keys()) < 1 {
			if err := scheduler.Yield(ctx); err != nil {
				return 0, err
			}
		}
		settle(ctx, 4)
		return 0, errBoom
	}
	require.NoError(t, g.Spawn(ctx, slow))
	require.NoError(t, g.Spawn(ctx, value(1)))
	require.NoError(t, g.Spawn(ctx, failing(errBang)))
}

// What makes an error handled, and what does not: Run reports the rest, once, as
// the scope of main ends.
func TestHandledIsWhatSomebodyWasGiven(t *testing.T) {
	type group = *taskgroup.Group[int, int]
	both, none := []int{0, 2}, []int{}
	for name, c := range map[string]struct {
		do   func(t *testing.T, ctx context.Context, g group)
		left []int // keys that Run reports
	}{
		"nothing":                 {func(*testing.T, context.Context, group) {}, both},
		"All awaited":             {func(t *testing.T, ctx context.Context, g group) { _, _ = g.All().Await(ctx) }, none},
		"All awaited late":        {func(t *testing.T, ctx context.Context, g group) { settle(ctx, 20); _, _ = g.All().Await(ctx) }, none},
		"All asked":               {func(t *testing.T, ctx context.Context, g group) { g.All() }, both},
		"All asked late":          {func(t *testing.T, ctx context.Context, g group) { settle(ctx, 20); g.All() }, both},
		"All ignored":             {func(t *testing.T, ctx context.Context, g group) { g.All().Ignore() }, both},
		"All that ignores errors": {func(t *testing.T, ctx context.Context, g group) { _, _ = g.All(taskgroup.IgnoreErrors()).Await(ctx) }, both},
		"All mapped": {func(t *testing.T, ctx context.Context, g group) {
			scheduler.Map(g.All(), func(r *taskgroup.Results[int, int]) (int, error) { return r.Len(), nil }).Ignore()
		}, none},
		"All given up": {func(t *testing.T, ctx context.Context, g group) {
			var err error
			c := scheduler.Go(ctx, func(ctx context.Context) error {
				_, err = g.All().Await(ctx)
				return nil
			})
			settle(ctx, 1)
			c.Cancel(nil)
			require.NoError(t, c.Await(ctx))
			require.ErrorIs(t, err, context.Canceled)
		}, both},
		"All awaited by a goroutine": {func(t *testing.T, ctx context.Context, g group) {
			all := g.All()
			_, err := scheduler.Offload(ctx, func(ctx context.Context) (int, error) { return 0, mustFail(all.Await(ctx)) }).Await(ctx)
			require.ErrorIs(t, err, errBoom)
		}, none},
		"All in AwaitAll": {func(t *testing.T, ctx context.Context, g group) {
			_, _ = scheduler.AwaitAll(ctx, g.All())
		}, none},
		"All passed over": {func(t *testing.T, ctx context.Context, g group) {
			all := g.All()
			settle(ctx, 20)
			_, _ = scheduler.AwaitAny(ctx, scheduler.Completed[*taskgroup.Results[int, int]](nil), all)
		}, both},
		"Race, of the one that it gave": {func(t *testing.T, ctx context.Context, g group) {
			_, err := g.Race().Await(ctx)
			if err == nil {
				_ = g.GetErrors() // in this order a success was first
			}
		}, nil},
		"Any that succeeded": {func(t *testing.T, ctx context.Context, g group) {
			_, err := g.Any().Await(ctx)
			require.NoError(t, err)
		}, both},
		"Each, of those that it yielded": {func(t *testing.T, ctx context.Context, g group) {
			for _, r := range g.Each(ctx) {
				if r.Err != nil {
					break
				}
			}
		}, []int{0}},
		"Each, all": {func(t *testing.T, ctx context.Context, g group) {
			g.Seal()
			n := 0
			for range g.Each(ctx) {
				n++
			}
			require.Equal(t, 3, n)
		}, none},
		"GetErrors": {func(t *testing.T, ctx context.Context, g group) {
			settle(ctx, 20)
			require.Len(t, g.GetErrors(), 2)
		}, none},
		"GetErrors, early": {func(t *testing.T, ctx context.Context, g group) {
			for len(g.GetErrors()) == 0 {
				settle(ctx, 1)
			}
		}, []int{0}},
		"SuppressErrors": {func(t *testing.T, ctx context.Context, g group) {
			g.SuppressErrors()
			settle(ctx, 20)
			require.Len(t, g.GetErrors(), 2, "they stay")
		}, none},
		"SuppressErrors, late": {func(t *testing.T, ctx context.Context, g group) { settle(ctx, 20); g.SuppressErrors() }, none},
		"Dispose":              {func(t *testing.T, ctx context.Context, g group) { settle(ctx, 20); require.Error(t, g.Dispose()) }, none},
	} {
		t.Run(name, func(t *testing.T) {
			ends(t, func(ctx context.Context) {
				g := taskgroup.New[int](ctx)
				twoFail(t, ctx, g)
				c.do(t, ctx, g)
			}, func(err error) {
				if c.left == nil { // depends on the order
					return
				}
				if len(c.left) == 0 {
					require.NoError(t, err)
					return
				}
				require.Error(t, err)
				var te []int
				for _, e := range reported(err) {
					te = append(te, e.Key)
				}
				require.Equal(t, c.left, te)
			})
		})
	}
}

// reported are the task errors in what Run returned, in order.
func reported(err error) (all []*taskgroup.TaskError[int]) {
	switch err := err.(type) {
	case *taskgroup.TaskError[int]:
		return append(all, err)
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			all = append(all, reported(e)...)
		}
	}
	return all
}

func TestRaceHandlesTheOneErrorThatItGave(t *testing.T) {
	ends(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		require.ErrorIs(t, mustFail(g.Race().Await(ctx)), errBoom)
		require.NoError(t, g.Spawn(ctx, failing(errBang)))
		for !g.IsFinished() {
			settle(ctx, 1)
		}
		require.ErrorIs(t, mustFail(g.Race().Await(ctx)), errBoom)
	}, func(err error) {
		require.ErrorIs(t, err, errBang)
		require.NotErrorIs(t, err, errBoom)
	})
}

func TestUnhandledErrorsGoTheWayOfUnhandledErrors(t *testing.T) {
	orders(t, func(ctx context.Context) {
		parent := scheduler.NewScope(ctx)
		var got []error
		parent.OnChildError(func(sc *scheduler.Scope, c *scheduler.Coroutine, err error) { got = append(got, err) })
		g := taskgroup.New[int](ctx, taskgroup.InScope(parent))
		twoFail(t, ctx, g)
		for !g.IsFinished() {
			settle(ctx, 1)
		}
		require.Empty(t, got, "the scope has not ended")
		parent.Close()
		require.Len(t, got, 1)
		keys, errs := failures[int](t, got[0])
		require.Equal(t, []int{0, 2}, keys)
		require.Equal(t, []error{errBoom, errBang}, errs)
		require.Empty(t, g.GetResults().Keys()[1:])
	})
}

func TestUnhandledErrorsShutDownWhereNobodyTakesThem(t *testing.T) {
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		parent := scheduler.NewScope(ctx)
		g := taskgroup.New[int](ctx, taskgroup.InScope(parent))
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		parent.Close()
		return scheduler.AwaitShutdown(ctx)
	})
	require.ErrorIs(t, err, errBoom)
	require.Len(t, reported(err), 1)
}

func TestTheScopesOwnHandlerIsToldFirst(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		var got error
		g.Scope().OnError(func(c *scheduler.Coroutine, err error) {
			require.Nil(t, c)
			got = err
		})
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			_, err := parked(ctx)
			return 0, fmt.Errorf("%w: %v", errBoom, err)
		}))
		settle(ctx, 2)
		g.Scope().Dispose()
		for got == nil && g.Count() > 0 && !g.IsFinished() {
			settle(ctx, 1)
		}
		if len(g.GetErrors()) > 0 { // it had started
			require.ErrorIs(t, got, errBoom)
		}
	})
}

// Asking again and again on a group that has failed keeps no future.
func TestDeliveredFuturesAreForgotten(t *testing.T) {
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		_, _ = g.All().Await(ctx)
		ask := func() {
			for range 10_000 {
				_, _ = g.All().Await(ctx)
			}
		}
		ask()
		before := heap()
		ask()
		require.InDelta(t, float64(before), float64(heap()), 64<<10)
		return nil
	}))
}

func TestErrorsAreInTheOrderOfSpawns(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		twoFail(t, ctx, g)
		_, err := g.All().Await(ctx)
		keys, errs := failures[int](t, err)
		require.Equal(t, []int{0, 2}, keys)
		require.Equal(t, []error{errBoom, errBang}, errs)
		for i, te := range g.GetErrors() {
			require.Equal(t, keys[i], te.Key)
			require.Equal(t, errs[i], te.Err)
		}
	})
}
