package scheduler

import (
	"context"
	"fmt"
)

// Semaphore bounds what coroutines of one scheduler use at once, in units. It is
// fair: first come, first served, so that one who wants many is not starved by
// those who want few. It belongs to the loop.
type Semaphore struct {
	size, free int64
	line       line[int64]
}

// NewSemaphore returns a semaphore of size units, all free.
func NewSemaphore(size int64) *Semaphore {
	if size < 0 {
		misuse("NewSemaphore(%d)", size)
	}
	return &Semaphore{size: size, free: size}
}

// Acquire takes n units, waiting for them. It fails at once where n is more than
// there are. Its other errors are those of the end of ctx; then nothing is taken.
func (sem *Semaphore) Acquire(ctx context.Context, n int64) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	if err := sem.line.join(c); err != nil {
		return err
	}
	if n < 0 {
		misuse("Acquire(%d)", n)
	}
	if n > sem.size {
		return fmt.Errorf("scheduler: acquire of %d units of a semaphore that has %d", n, sem.size)
	}
	if err := c.ended(ctx); err != nil {
		return err
	}
	if sem.TryAcquire(n) {
		return nil
	}
	_, granted, err := sem.line.wait(ctx, c, n, "semaphore")
	if granted && err != nil {
		sem.Release(n)
	}
	if !granted {
		sem.hand() // the one behind may want less
	}
	return err
}

// TryAcquire takes n units if nobody waits and they are free, and reports whether
// it did.
func (sem *Semaphore) TryAcquire(n int64) bool {
	if n < 0 {
		misuse("TryAcquire(%d)", n)
	}
	if sem.line.front() != nil || n > sem.free {
		return false
	}
	sem.free -= n
	return true
}

// Release gives n units back and hands them to those in line. It panics where
// more are given back than were taken.
func (sem *Semaphore) Release(n int64) {
	if n < 0 || sem.free+n > sem.size {
		misuse("Release(%d) of a semaphore of which %d units are taken", n, sem.size-sem.free)
	}
	sem.free += n
	sem.hand()
}

// hand gives what is free to those in line, in order.
func (sem *Semaphore) hand() {
	for t := sem.line.front(); t != nil && t.v <= sem.free; t = sem.line.front() {
		sem.free -= t.v
		sem.line.grant(t, t.v)
	}
}
