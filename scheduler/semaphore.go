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

// NewSemaphore returns a semaphore of size units, all free. It panics where size
// is negative.
func NewSemaphore(size int64) *Semaphore {
	if size < 0 {
		misuse("NewSemaphore(%d)", size)
	}
	return &Semaphore{size: size, free: size}
}

// Acquire takes n units, waiting until it is the first in line and they are free.
// It fails at once where n is more than there are in all, and otherwise with the
// error of the end of ctx; then nothing is taken. A negative n panics.
func (sem *Semaphore) Acquire(ctx context.Context, n int64) error {
	c, err := sem.line.enter(ctx, sem)
	if err != nil {
		return err
	}
	if n > sem.size {
		return fmt.Errorf("scheduler: acquire of %d units of a semaphore that has %d", n, sem.size)
	}
	if sem.TryAcquire(n) {
		return nil
	}
	if _, err = sem.line.wait(ctx, c, n, semaphoreUnits); err != nil {
		sem.hand() // the one behind may want less
	}
	return err
}

// TryAcquire takes n units if nobody waits and they are free, and reports whether
// it did. A negative n panics. It never suspends.
func (sem *Semaphore) TryAcquire(n int64) bool {
	if n < 0 {
		misuse("acquire of %d units of a semaphore", n)
	}
	if n > sem.free || sem.line.front() != nil {
		return false
	}
	sem.free -= n
	return true
}

// Release gives n units back and hands them to those in line. It panics where
// more are given back than were taken, and off the loop. Any coroutine of the
// loop may release. It never suspends.
func (sem *Semaphore) Release(n int64) {
	sem.line.mustLoop("Semaphore.Release")
	if n < 0 || n > sem.size-sem.free {
		misuse("release of %d units of a semaphore of which %d are taken", n, sem.size-sem.free)
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

// takeBack implements owner.
func (sem *Semaphore) takeBack(t *ticket[int64]) {
	sem.free += t.v
	sem.hand()
}
