package work

import (
	"context"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
)

// AwaitSettled awaits a future that has settled, which never suspends.
func AwaitSettled() harness.Workload {
	return harness.Workload{
		Name: "await, settled",
		Sides: []harness.Side{
			{Name: ours, Do: awaitSettled},
			{Name: "receive from a closed channel", Limit: 0.8, Do: receiveClosed},
		},
	}
}

func awaitSettled(m harness.Meter, n int) int {
	future := scheduler.Completed(1)
	run(func(ctx context.Context) error {
		m.ResetTimer()
		for range n {
			if _, err := future.Await(ctx); err != nil {
				return err
			}
		}
		m.StopTimer()
		return nil
	})
	return n
}

func receiveClosed(m harness.Meter, n int) int {
	done := make(chan int)
	close(done)
	m.ResetTimer()
	for range n {
		<-done
	}
	m.StopTimer()
	return n
}

// AwaitPending makes a future and awaits it, while another coroutine settles
// it: two switches.
func AwaitPending() harness.Workload {
	return harness.Workload{
		Name: "await, pending",
		Sides: []harness.Side{
			{Name: ours, Do: awaitPending},
			{Name: "channel made and received from", Procs: 1, Do: receivePending},
			{Name: "channel made and received from", Procs: 2, Do: receivePending},
		},
	}
}

func awaitPending(m harness.Meter, n int) int {
	var pending *scheduler.Resolver[int]
	stop := false
	settle := func(ctx context.Context) error {
		for !stop {
			if pending != nil {
				if err := pending.Complete(1); err != nil {
					return err
				}
				pending = nil
			}
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	run(func(ctx context.Context) error {
		scheduler.Go(ctx, settle)
		m.ResetTimer()
		for range n {
			var future *scheduler.Future[int]
			future, pending = scheduler.NewFuture[int](ctx)
			if _, err := future.Await(ctx); err != nil {
				return err
			}
		}
		m.StopTimer()
		stop = true
		return nil
	})
	return n
}

func receivePending(m harness.Meter, n int) int {
	pending := make(chan chan int)
	go func() {
		for c := range pending {
			c <- 1
		}
	}()
	m.ResetTimer()
	for range n {
		c := make(chan int, 1)
		pending <- c
		<-c
	}
	m.StopTimer()
	close(pending)
	return n
}
