//go:build !race && !portable

package scheduler_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// In the steady state a suspension allocates nothing. Each of these is called with a
// partner that does the other half of it.
func TestSuspensionsAllocateNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		partner func(ctx context.Context, me *scheduler.Coroutine) error // runs until it is cancelled
		once    func(ctx context.Context)
	}{
		"Yield alone": {nil, func(ctx context.Context) { _ = scheduler.Yield(ctx) }},
		"Yield": {func(ctx context.Context, _ *scheduler.Coroutine) error {
			for {
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
		}, func(ctx context.Context) { _ = scheduler.Yield(ctx) }},
		"Suspend and Resume": {func(ctx context.Context, me *scheduler.Coroutine) error {
			for {
				if me.State() == scheduler.Suspended {
					_ = me.Resume(nil)
				}
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
		}, func(ctx context.Context) { _, _ = scheduler.Suspend(ctx) }},
		"Sleep": {nil, func(ctx context.Context) { _ = scheduler.Sleep(ctx, 0) }},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(ctx context.Context) error {
				me := scheduler.Current(ctx)
				if tc.partner != nil {
					partner := scheduler.Go(ctx, func(ctx context.Context) error { return tc.partner(ctx, me) })
					defer partner.Cancel(nil)
				}
				requireNoAllocs(t, ctx, func() { tc.once(ctx) })
				return nil
			})
		})
	}
}

// Awaiting a pending future or coroutine costs what making it does, and no more.
func TestAwaitAllocatesNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		const n = 2000
		var fs []*scheduler.Future[int]
		var rs []*scheduler.Resolver[int]
		for range n {
			f, r := scheduler.NewFuture[int](ctx)
			fs, rs = append(fs, f), append(rs, r)
		}
		me := scheduler.Current(ctx)
		next := 0
		settler := scheduler.Go(ctx, func(ctx context.Context) error {
			for {
				if me.State() == scheduler.Suspended && next < n {
					_ = rs[next].Complete(next)
				}
				if err := scheduler.Yield(ctx); err != nil {
					return err
				}
			}
		})
		defer settler.Cancel(nil)
		requireNoAllocs(t, ctx, func() {
			_, _ = fs[next].Await(ctx)
			next++
		})
		requireNoAllocs(t, ctx, func() { _, _ = fs[0].Await(ctx) })

		var cs []*scheduler.Coroutine
		for range n {
			cs = append(cs, scheduler.Go(ctx, func(ctx context.Context) error { return scheduler.Yield(ctx) }))
		}
		next = 0
		requireNoAllocs(t, ctx, func() {
			_ = cs[next].Await(ctx)
			next++
		})
		return nil
	})
}

// Under a ctx that it was spawned with a coroutine waits as cheaply as without.
func TestALinkedCoroutineAllocatesNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		derived, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		c := scheduler.Go(derived, func(ctx context.Context) error {
			requireNoAllocs(t, ctx, func() { _ = scheduler.Sleep(ctx, 0) })
			requireNoAllocs(t, ctx, func() { _ = scheduler.Yield(ctx) })
			return nil
		})
		return c.Await(ctx)
	})
}

// A timeout that nobody asks for its Done channel is one allocation, and its
// CancelFunc another.
func TestATimeoutAllocatesLittle(t *testing.T) {
	run(t, func(ctx context.Context) error {
		require.LessOrEqual(t, testing.AllocsPerRun(1000, func() {
			_, cancel := scheduler.WithTimeout(ctx, time.Hour)
			cancel()
		}), 3.0)
		return nil
	})
}
