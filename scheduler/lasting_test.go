package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestLastingScopeEndsWhenDisposedOrWithItsParent(t *testing.T) {
	run(t, func(ctx context.Context) error {
		parent := scheduler.NewScope(ctx)
		ended := map[string]bool{}
		lasting := func(name string) *scheduler.Scope {
			sc := parent.NewChild(scheduler.Lasting(), scheduler.ScopeName(name))
			sc.Finally(func(*scheduler.Scope) { ended[name] = true })
			return sc
		}
		closed, cancelled, disposed, safely := lasting("closed"), lasting("cancelled"), lasting("disposed"), lasting("safely")
		closed.Close()
		cancelled.Cancel(nil)
		disposed.Dispose()
		safely.DisposeSafely()
		require.Equal(t, map[string]bool{"disposed": true, "safely": true}, ended)
		parent.Close()
		require.True(t, ended["closed"] && ended["cancelled"])
		return nil
	})
}

func TestOnStopIsToldOnceAndFirst(t *testing.T) {
	boom := errors.New("boom")
	run(t, func(ctx context.Context) error {
		parent := scheduler.NewScope(ctx)
		sc := parent.NewChild()
		c := scheduler.Go(ctx, scheduler.AwaitShutdown, scheduler.In(sc))
		told := 0
		sc.OnStop(func(cause error) {
			told++
			require.Same(t, boom, cause)
			require.True(t, sc.Closed())
			require.False(t, c.CancelRequested())
		})
		parent.Cancel(boom)
		sc.Cancel(nil)
		require.Equal(t, 1, told)
		require.True(t, c.CancelRequested())
		sc.OnStop(func(error) { told++ })
		require.Equal(t, 2, told)
		require.ErrorIs(t, sc.Cancellation(), boom)
		require.Nil(t, scheduler.NewScope(ctx).Cancellation())
		return nil
	})
}

// The owner of a scope hears why it is stopped before what it owns does.
func ExampleScope_OnStop() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		parent := scheduler.NewScope(ctx)
		pool := parent.NewChild(scheduler.Lasting())
		pool.OnStop(func(cause error) { fmt.Println("stopped:", cause) })
		parent.Cancel(errors.New("no more"))
		fmt.Println(pool.Cancellation())
		return nil
	})
	// Output:
	// stopped: no more
	// scheduler: cancelled: no more
}
