package work

import (
	"context"

	"github.com/trueasync/trueasync-go/bench/internal/harness"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Channel passes values through a channel without a buffer. An operation is one
// value sent and received.
func Channel() harness.Workload {
	return harness.Workload{
		Name: "channel rendezvous",
		Sides: []harness.Side{
			{Name: ours, Do: rendezvous},
			{Name: "unbuffered Go channel", Procs: 1, Limit: 1.6, Do: rendezvousGo},
			{Name: "unbuffered Go channel", Procs: 2, Do: rendezvousGo},
		},
	}
}

func rendezvous(m harness.Meter, n int) int {
	run(func(ctx context.Context) error {
		c := scheduler.NewChannel[int](ctx, 0)
		scheduler.Go(ctx, func(ctx context.Context) error {
			for i := range n {
				if err := c.Send(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
		m.ResetTimer()
		for range n {
			if _, err := c.Recv(ctx); err != nil {
				return err
			}
		}
		m.StopTimer()
		return nil
	})
	return n
}

func rendezvousGo(m harness.Meter, n int) int {
	c := make(chan int)
	go func() {
		for i := range n {
			c <- i
		}
	}()
	m.ResetTimer()
	for range n {
		<-c
	}
	m.StopTimer()
	return n
}
