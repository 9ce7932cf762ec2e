package scheduler

import "context"

// Mutex is a lock for coroutines of one scheduler, for what must stay whole
// across suspensions; between two suspensions nothing else runs, and no lock is
// needed. It is fair: an unlock hands the lock to the first in line, and nobody
// overtakes. The zero value is unlocked. It belongs to the loop.
type Mutex struct {
	locked bool
	line   line[struct{}]
}

// Lock waits for the lock. Its errors are those of the end of ctx; then the lock
// is not held.
func (m *Mutex) Lock(ctx context.Context) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	if err := m.line.join(c); err != nil {
		return err
	}
	if err := c.ended(ctx); err != nil {
		return err
	}
	if !m.locked {
		m.locked = true
		return nil
	}
	_, granted, err := m.line.wait(ctx, c, struct{}{}, "mutex")
	if granted && err != nil {
		m.Unlock()
	}
	return err
}

// TryLock takes the lock if it is free, and reports whether it did.
func (m *Mutex) TryLock() bool {
	if m.locked {
		return false
	}
	m.locked = true
	return true
}

// Unlock gives the lock to the first in line, or frees it. It panics where the
// lock is free. Any coroutine may unlock.
func (m *Mutex) Unlock() {
	if !m.locked {
		misuse("unlock of a Mutex that is not locked")
	}
	if t := m.line.front(); t != nil {
		m.line.grant(t, struct{}{})
		return
	}
	m.locked = false
}
