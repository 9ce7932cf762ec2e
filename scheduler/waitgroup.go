package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// WaitGroup waits for a number of coroutines of one scheduler, or of anything
// else that is counted. The zero value counts 0; it must not be copied after its
// first use. It belongs to the loop. For tasks with results and errors use package
// taskgroup.
type WaitGroup struct {
	n    int
	line line[struct{}]
}

// Add adds n, which may be negative, to the count; at 0 everybody who waits goes
// on, in the order in which they came. It panics where the count would fall below
// 0, and off the loop. It never suspends.
func (wg *WaitGroup) Add(n int) {
	wg.line.mustLoop("WaitGroup.Add")
	if wg.n+n < 0 {
		misuse("a WaitGroup's count of %d cannot change by %d", wg.n, n)
	}
	wg.n += n
	if wg.n > 0 {
		return
	}
	for t := wg.line.front(); t != nil; t = wg.line.front() {
		wg.line.grant(t, struct{}{})
	}
}

// Done subtracts 1.
func (wg *WaitGroup) Done() { wg.Add(-1) }

// Go counts one up, and down when fn, which runs as by [Go], has ended, however
// it did and also if it never started.
//
//go:noinline
func (wg *WaitGroup) Go(ctx context.Context, fn func(context.Context) error, opts ...SpawnOption) *Coroutine {
	c := goFrom(ctx, gid.CallerPC(), fn, opts)
	wg.Add(1)
	c.Finally(func(*Coroutine) { wg.Done() })
	return c
}

// Wait waits until the count is 0; where it is, Wait returns nil at once. It fails
// with the error of the end of ctx.
func (wg *WaitGroup) Wait(ctx context.Context) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	if err := wg.line.join(c); err != nil || wg.n == 0 {
		return err
	}
	_, err = wg.line.wait(ctx, c, struct{}{}, waitGroupEmpty)
	return err
}
