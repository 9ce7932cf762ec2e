package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Coroutines take turns, so what they share needs no lock. Run returns when all of
// them have ended.
func ExampleRun() {
	total := 0
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		for n := range 100 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				if err := scheduler.Sleep(ctx, time.Millisecond); err != nil {
					return err
				}
				total += n
				return nil
			})
		}
		return nil
	})
	fmt.Println(total, err)
	// Output: 4950 <nil>
}

// The end of Run's ctx ends the program in order: everything is cancelled, and given
// time to clean up.
func ExampleRun_end() {
	ctx, stop := context.WithCancel(context.Background())
	err := scheduler.Run(ctx, func(ctx context.Context) error {
		stop()
		err := scheduler.AwaitShutdown(ctx)
		fmt.Println("cleaning up:", errors.Is(err, context.Canceled))
		return scheduler.Sleep(context.WithoutCancel(ctx), time.Millisecond)
	})
	fmt.Println(err)
	// Output:
	// cleaning up: true
	// <nil>
}
