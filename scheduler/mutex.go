package scheduler

import "context"

// Mutex is a lock for coroutines of one scheduler, for what must stay whole
// across suspensions; between two suspensions nothing else runs, and no lock is
// needed. It is fair: an unlock hands the lock to the first in line, and nobody
// overtakes. The zero value is unlocked; it must not be copied after its first
// use. It belongs to the loop.
type Mutex struct {
	locked bool
	line   line[struct{}]
}

// Lock takes the lock, waiting for it. It fails with the error of the end of ctx,
// and then the lock is not held. A coroutine that locks twice waits for itself.
func (m *Mutex) Lock(ctx context.Context) error {
	c, err := m.line.enter(ctx, m)
	if err != nil || m.TryLock() {
		return err
	}
	_, err = m.line.wait(ctx, c, struct{}{}, mutexLock)
	return err
}

// TryLock takes the lock if it is free, and reports whether it did. It never
// suspends.
func (m *Mutex) TryLock() bool {
	if m.locked {
		return false
	}
	m.locked = true
	return true
}

// Unlock hands the lock to the first in line, or frees it. It panics where the
// lock is free, and off the loop. Any coroutine of the loop may unlock. It never
// suspends.
func (m *Mutex) Unlock() {
	m.line.mustLoop("Mutex.Unlock")
	if !m.locked {
		misuse("unlock of a Mutex that is not locked")
	}
	m.hand()
}

// hand gives the lock, which is held, to the first in line, or frees it.
func (m *Mutex) hand() {
	if t := m.line.front(); t != nil {
		m.line.grant(t, struct{}{})
		return
	}
	m.locked = false
}

// takeBack implements owner.
func (m *Mutex) takeBack(*ticket[struct{}]) { m.hand() }
