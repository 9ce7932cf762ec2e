package schedtest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/scheduler/schedtest"
)

// everyHour is what a program might do.
func everyHour(ctx context.Context, fn func()) error {
	for {
		if err := scheduler.Sleep(ctx, time.Hour); err != nil {
			return err
		}
		fn()
	}
}

// A day passes at once, in each of twenty orders.
func TestEveryHour(t *testing.T) {
	schedtest.Seeds(t, 20, func(ctx context.Context) error {
		calls := 0
		day, cancel := scheduler.WithTimeout(ctx, 24*time.Hour+time.Minute)
		defer cancel()
		_ = everyHour(day, func() { calls++ })
		if calls != 24 {
			return fmt.Errorf("%d calls", calls)
		}
		return nil
	})
}

// A clock of one's own shows how much virtual time a program takes.
func ExampleClock() {
	clock := schedtest.NewClock(schedtest.Start)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		return scheduler.Sleep(ctx, 36*time.Hour)
	}, scheduler.WithClock(clock))
	fmt.Println(clock.Now().Sub(schedtest.Start), err)
	// Output: 36h0m0s <nil>
}

// Work that takes time by the clock, without taking any.
func ExampleClock_Advance() {
	clock := schedtest.NewClock(schedtest.Start)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		short, cancel := scheduler.WithTimeout(ctx, time.Minute)
		defer cancel()
		clock.Advance(45 * time.Second) // a computation
		fmt.Println(scheduler.Sleep(short, 10*time.Second))
		fmt.Println(scheduler.Sleep(short, 10*time.Second))
		return nil
	}, scheduler.WithClock(clock))
	fmt.Println(clock.Now().Sub(schedtest.Start), err)
	// Output:
	// <nil>
	// scheduler: timed out after 1m0s
	// 1m0s <nil>
}
