package taskgroup_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// nest is an inner group of one task, which fails when it is told to, inside of
// something that can be ended from outside. What happens outside must be seen
// outside and what happens inside inside, whichever comes first.
type nest struct {
	inner    *intGroup
	told     bool   // the inner task is to fail
	end      func() // ends what is around
	innerErr error  // of the inner All
	after    error  // of the next suspension outside of the inner group
}

// task is the inner one. It heeds nobody, so that it fails also when cancelled.
func (n *nest) task(ctx context.Context) (int, error) {
	free := context.WithoutCancel(ctx)
	for !n.told {
		if err := scheduler.Yield(free); err != nil {
			return 0, err
		}
	}
	return 0, errBang
}

// body is what the outer one does: it handles what the inner group comes to.
func (n *nest) body(ctx context.Context, opts ...taskgroup.Option) error {
	n.inner = taskgroup.New[int](ctx, opts...)
	if err := n.inner.Spawn(ctx, n.task); err != nil {
		return err
	}
	if err := n.inner.Spawn(ctx, parked); err != nil {
		return err
	}
	n.inner.Seal()
	all := n.inner.All()
	_, n.innerErr = all.Await(context.WithoutCancel(ctx))
	n.after = scheduler.Yield(ctx)
	return n.after
}

// nests are the ways to be inside.
func nests(ctx context.Context, t *testing.T, n *nest, opts []taskgroup.Option) map[string]func() (wait func() error) {
	return map[string]func() func() error{
		"a group in a task of a group": func() func() error {
			outer := taskgroup.New[int](ctx)
			require.NoError(t, outer.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, n.body(ctx, opts...) }))
			n.end = func() { outer.Cancel(errBoom) }
			return func() error { return mustFail(outer.All().Await(ctx)) }
		},
		"a group in a task of a group that has a ctx": func() func() error {
			derived, cancel := context.WithCancelCause(ctx)
			outer := taskgroup.New[int](derived)
			require.NoError(t, outer.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, n.body(ctx, opts...) }))
			n.end = func() { cancel(errBoom) }
			return func() error {
				defer cancel(nil)
				return mustFail(outer.All().Await(ctx))
			}
		},
		"a group in a coroutine": func() func() error {
			c := scheduler.Go(ctx, func(ctx context.Context) error { return n.body(ctx, opts...) })
			n.end = func() { c.Cancel(errBoom) }
			return func() error { return c.Await(ctx) }
		},
		"a group under a ctx": func() func() error {
			var cancel context.CancelCauseFunc
			c := scheduler.Go(ctx, func(ctx context.Context) error {
				ctx, cancel = context.WithCancelCause(ctx)
				defer cancel(nil)
				return n.body(ctx, opts...)
			})
			n.end = func() { cancel(errBoom) }
			return func() error { return c.Await(ctx) }
		},
		"a group in a scope": func() func() error {
			sc := scheduler.NewScope(ctx)
			c := scheduler.Go(ctx, func(ctx context.Context) error { return n.body(ctx, opts...) }, scheduler.In(sc))
			n.end = func() { sc.Cancel(errBoom) }
			return func() error { return c.Await(ctx) }
		},
	}
}

func TestFault_PY3_OuterCancellationAndInnerFailureAreBothSeenInEveryOrderAndNesting(t *testing.T) {
	for _, outerFirst := range []bool{true, false} {
		for gap := range 4 {
			for _, failFast := range []bool{true, false} {
				for name := range nests(context.Background(), nil, nil, nil) {
					t.Run(fmt.Sprintf("%s/outer first %v/gap %d/fail fast %v", name, outerFirst, gap, failFast), func(t *testing.T) {
						orders(t, func(ctx context.Context) { outerAndInner(t, ctx, name, outerFirst, gap, failFast) })
					})
				}
			}
		}
	}
}

func outerAndInner(t *testing.T, ctx context.Context, name string, outerFirst bool, gap int, failFast bool) {
	var n nest
	var opts []taskgroup.Option
	if failFast {
		opts = append(opts, taskgroup.FailFast())
	}
	wait := nests(ctx, t, &n, opts)[name]()
	settle(ctx, 3)
	if outerFirst {
		n.end()
		settle(ctx, gap)
	}
	n.told = true
	if !outerFirst {
		settle(ctx, gap)
		n.end()
	}
	if name == "a group in a coroutine" && !failFast {
		n.inner.Cancel(errBoom) // the inner group is the scope's, which goes on
	}
	err := wait()
	ended := n.after != nil
	if ended {
		require.ErrorIs(t, n.after, context.Canceled)
		require.ErrorIs(t, err, context.Canceled, "the outer one was ended, and says so")
		require.ErrorIs(t, err, errBoom)
		require.NotErrorIs(t, err, errBang)
	} else {
		require.NoError(t, err)
		require.False(t, outerFirst, "it was over before")
	}
	_, errs := failures[int](t, n.innerErr)
	require.Equal(t, []error{errBang}, errs, "the inner failure, and no cancellation")
	require.NoError(t, n.inner.Dispose(), "it was handled")
}

// The same with a cancellation inside in place of a failure, which the first cause
// decides.
func TestFault_PY1_OuterCancellationIsNotSwallowedByAnInnerOne(t *testing.T) {
	for name := range nests(context.Background(), nil, nil, nil) {
		for _, outerFirst := range []bool{true, false} {
			for gap := range 3 {
				t.Run(fmt.Sprintf("%s/outer first %v/gap %d", name, outerFirst, gap), func(t *testing.T) {
					orders(t, func(ctx context.Context) {
						var n nest
						wait := nests(ctx, t, &n, nil)[name]()
						settle(ctx, 3)
						if outerFirst {
							n.end()
							settle(ctx, gap)
						}
						n.inner.Cancel(errBang)
						if !outerFirst {
							settle(ctx, gap)
							n.end()
						}
						n.told = true
						err := wait()
						require.ErrorIs(t, n.after, context.Canceled)
						require.ErrorIs(t, err, errBoom)
						require.NotErrorIs(t, err, errBang)
					})
				})
			}
		}
	}
}

// The innermost of three that is told of nothing but its own end ends as well.
func TestCancellationReachesThroughEveryLevel(t *testing.T) {
	orders(t, func(ctx context.Context) {
		levels := make([]*intGroup, 4)
		var down func(level int) func(context.Context) (int, error)
		down = func(level int) func(context.Context) (int, error) {
			return func(ctx context.Context) (int, error) {
				if level == len(levels) {
					return parked(ctx)
				}
				levels[level] = taskgroup.New[int](ctx, taskgroup.Concurrency(1))
				for range 3 {
					if err := levels[level].Spawn(ctx, down(level+1)); err != nil {
						return 0, err
					}
				}
				_, err := levels[level].All().Await(ctx)
				return 0, err
			}
		}
		top := taskgroup.New[int](ctx)
		require.NoError(t, top.Spawn(ctx, down(0)))
		settle(ctx, 10)
		top.Cancel(errBoom)
		require.ErrorIs(t, mustFail(top.All().Await(ctx)), errBoom)
		for _, g := range levels {
			require.NotNil(t, g)
			require.NoError(t, g.Scope().AwaitCompletion(ctx))
			require.True(t, g.IsFinished())
			require.Empty(t, g.GetErrors())
			require.Zero(t, g.GetResults().Len())
		}
	})
}
