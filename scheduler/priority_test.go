package scheduler_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestHighPriorityGoesToTheHead(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		note := func(name string) func(context.Context) error {
			return func(context.Context) error { got = append(got, name); return nil }
		}
		scheduler.Go(ctx, note("a"))
		scheduler.Go(ctx, note("b"))
		scheduler.Go(ctx, note("high 1"), scheduler.HighPriority())
		scheduler.Go(ctx, note("high 2"), scheduler.HighPriority())
		yields(ctx, 1)
		require.Equal(t, []string{"high 2", "high 1", "a", "b"}, got, "inserted at the head, nothing more elaborate")
		return nil
	}, scheduler.InOrder())
}

// It keeps its priority: also when it is woken it goes to the head.
func TestHighPriorityAtAWakeUp(t *testing.T) {
	run(t, func(ctx context.Context) error {
		var got []string
		f, r := scheduler.NewFuture[int](ctx)
		for _, opt := range []struct {
			name string
			opts []scheduler.SpawnOption
		}{{"plain", nil}, {"high", []scheduler.SpawnOption{scheduler.HighPriority()}}} {
			scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := f.Await(ctx)
				got = append(got, opt.name)
				return err
			}, opt.opts...)
		}
		yields(ctx, 1)
		scheduler.Go(ctx, func(context.Context) error { got = append(got, "queued before"); return nil })
		require.NoError(t, r.Complete(1))
		yields(ctx, 1)
		require.Equal(t, []string{"high", "queued before", "plain"}, got)
		return nil
	}, scheduler.InOrder())
}

// Two coroutines of high priority that wake each other starve nobody beyond the
// budget; nor do those that spawn such.
func TestFault_TK2_HighPriorityStarvesNobody(t *testing.T) {
	const most = 2 * 61
	t.Run("wake each other", func(t *testing.T) {
		run(t, func(ctx context.Context) error {
			turns, over := 0, false
			var pair [2]*scheduler.Coroutine
			for i := range pair {
				pair[i] = scheduler.Go(ctx, func(ctx context.Context) error {
					for !over {
						turns++
						if other := pair[1-i]; other.State() == scheduler.Suspended {
							if err := other.Resume(nil); err != nil {
								return err
							}
						}
						if _, err := scheduler.Suspend(ctx); err != nil {
							return err
						}
					}
					if other := pair[1-i]; other.State() == scheduler.Suspended {
						return other.Resume(nil)
					}
					return nil
				}, scheduler.HighPriority())
			}
			for range 50 {
				before := turns
				require.NoError(t, scheduler.Yield(ctx))
				require.LessOrEqual(t, turns-before, most)
			}
			over = true
			return nil
		})
	})
	t.Run("spawn each other", func(t *testing.T) {
		run(t, func(ctx context.Context) error {
			turns, over := 0, false
			var again func(ctx context.Context) error
			again = func(ctx context.Context) error {
				if turns++; !over {
					scheduler.Go(ctx, again, scheduler.HighPriority())
				}
				return nil
			}
			scheduler.Go(ctx, again, scheduler.HighPriority())
			for range 50 {
				before := turns
				require.NoError(t, scheduler.Yield(ctx))
				require.LessOrEqual(t, turns-before, most)
			}
			over = true
			return nil
		})
	})
	t.Run("sleepers are seen", func(t *testing.T) {
		run(t, func(ctx context.Context) error {
			over := false
			for range 2 {
				scheduler.Go(ctx, func(ctx context.Context) error {
					for !over {
						if err := scheduler.Yield(ctx); err != nil {
							return err
						}
					}
					return nil
				}, scheduler.HighPriority())
			}
			err := scheduler.Sleep(ctx, 1)
			over = true
			return err
		})
	})
}

func ExampleHighPriority() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(context.Context) error { fmt.Println("plain"); return nil })
		scheduler.Go(ctx, func(context.Context) error { fmt.Println("urgent"); return nil }, scheduler.HighPriority())
		return nil
	})
	// Output:
	// urgent
	// plain
}
