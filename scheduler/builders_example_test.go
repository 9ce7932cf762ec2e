package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// These are for those who build what others suspend in, as packages aio and taskgroup
// do.

// A metronome's method takes no ctx, as net.Conn's do not.
type metronome struct {
	s     *scheduler.Scheduler
	timer *reactor.Timer
}

func (m *metronome) beat() error {
	c := m.s.Running()
	if c == nil {
		return scheduler.ErrForeignGoroutine
	}
	if err := c.Interrupted(); err != nil {
		return err
	}
	m.timer.Reset(time.Millisecond)
	return c.Wait(m.timer)
}

// A cancellation interrupts one call of a method that has no ctx. The next one works,
// so that a deferred flush can.
func ExampleCoroutine_Wait() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		c := scheduler.Current(ctx)
		m := &metronome{c.Scheduler(), c.Scheduler().Reactor().NewTimer(0, 0)}
		fmt.Println(m.beat())
		c.Cancel(errors.New("enough"))
		fmt.Println(m.beat())
		fmt.Println(m.beat())
		return nil
	})
	// Output:
	// <nil>
	// scheduler: cancelled: enough
	// <nil>
}

// What never has to wait gives way all the same, once it has spent its turn.
func ExampleCoroutine_Spend() {
	read := func(c *scheduler.Coroutine) error {
		if err := c.YieldIfSpent(); err != nil {
			return err
		}
		if err := c.Interrupted(); err != nil {
			return err
		}
		c.Spend(1) // a system call that had its data at once
		return nil
	}
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		others := false
		scheduler.Go(ctx, func(context.Context) error {
			others = true
			return nil
		})
		for range 1000 {
			if err := read(scheduler.Current(ctx)); err != nil {
				return err
			}
		}
		fmt.Println("others ran meanwhile:", others)
		return nil
	})
	// Output: others ran meanwhile: true
}

// squares is a worker that takes one number after the other. Each is a coroutine of
// its own, and there is never more than one.
type squares struct {
	runner scheduler.Runner
	origin *scheduler.Origin
	todo   []int
	sum    int
	result *scheduler.Resolver[int]
}

func (sq *squares) Run(ctx context.Context) error {
	n := sq.todo[0]
	sq.todo = sq.todo[1:]
	sq.sum += n * n
	return scheduler.Yield(ctx)
}

func (sq *squares) Ended(_ *scheduler.Coroutine, err error, _ bool) {
	if err == nil && len(sq.todo) > 0 {
		sq.runner.Launch(sq.origin)
		return
	}
	_ = sq.result.Settle(sq.sum, err) // what there is of it, where it was cancelled
}

// A Runner is what pools are made of.
func ExampleRunner() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		here, _, _, _ := runtime.Caller(0)
		scope := scheduler.NewScope(ctx)
		origin, err := scope.OriginOf(ctx, nil, here)
		if err != nil {
			return err
		}
		sum, result := scheduler.NewDetached[int](scope, here)
		sq := &squares{origin: origin, todo: []int{1, 2, 3, 4}, result: result}
		sq.runner.Init(scope, sq)
		sq.runner.Launch(origin)
		got, err := sum.Await(ctx)
		fmt.Println(got)
		return err
	})
	fmt.Println(err)
	// Output:
	// 30
	// <nil>
}

// A failure that a pool could tell nobody takes the way of all unhandled errors.
func ExampleScope_Report() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		scope := scheduler.NewScope(ctx)
		scope.OnError(func(_ *scheduler.Coroutine, err error) { fmt.Println("reported:", err) })
		scope.Report(nil, errors.New("a result that nobody took"))
		return nil
	})
	fmt.Println(err)
	// Output:
	// reported: a result that nobody took
	// <nil>
}

// A goroutine that waits for the loop is told also where the loop ends first.
func ExampleScheduler_PostOr() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		answer, resolve := scheduler.NewExternal[string](ctx)
		go func() {
			back := make(chan string, 1)
			err := s.PostOr(
				func() { back <- fmt.Sprint("on the loop: ", s.OnLoop()) },
				func() { back <- "the loop has ended" },
			)
			if err != nil {
				back <- err.Error()
			}
			_ = resolve.Complete(<-back)
		}()
		text, err := answer.Await(ctx)
		fmt.Println(text)
		return err
	})
	// Output: on the loop: true
}
