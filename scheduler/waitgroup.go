package scheduler

import "context"

// WaitGroup waits for a number of coroutines of one scheduler, or of anything
// else that is counted. The zero value counts 0. It belongs to the loop. For
// tasks with results and errors use package taskgroup.
type WaitGroup struct {
	n    int
	line line[struct{}]
}

// Add adds n, which may be negative, to the count; at 0 everybody who waits goes
// on. It panics where the count falls below 0.
func (wg *WaitGroup) Add(n int) {
	if wg.n += n; wg.n < 0 {
		misuse("a WaitGroup's count fell below 0")
	}
	for wg.n == 0 {
		t := wg.line.front()
		if t == nil {
			return
		}
		wg.line.grant(t, struct{}{})
	}
}

// Done subtracts 1.
func (wg *WaitGroup) Done() { wg.Add(-1) }

// Go counts one up, and down when fn, which runs as by [Go], has ended, however
// it did and also if it never started.
func (wg *WaitGroup) Go(ctx context.Context, fn func(context.Context) error, opts ...SpawnOption) *Coroutine {
	wg.Add(1)
	c := Go(ctx, fn, opts...)
	c.Finally(func(*Coroutine) { wg.Done() })
	return c
}

// Wait waits until the count is 0. Its errors are those of the end of ctx.
func (wg *WaitGroup) Wait(ctx context.Context) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	if err := wg.line.join(c); err != nil {
		return err
	}
	if wg.n == 0 {
		return nil
	}
	_, granted, err := wg.line.wait(ctx, c, struct{}{}, "wait group")
	if granted {
		return nil
	}
	return err
}
