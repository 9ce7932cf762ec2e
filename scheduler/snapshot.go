package scheduler

import (
	"fmt"
	"time"
)

// Snapshot is the tree of scopes and coroutines at one moment: the scope of main
// with all that is below it.
type Snapshot struct{ Scopes []ScopeInfo }

// ScopeInfo is a scope in a snapshot: its child scopes, and its own coroutines in
// the order of their spawns.
type ScopeInfo struct {
	Name       string
	Scopes     []ScopeInfo
	Coroutines []CoroutineInfo
}

// CoroutineInfo is a coroutine in a snapshot or a report.
//
// Age is the time since its spawn, Parked that since it was suspended, both by the
// scheduler's clock. They may be over by the time between two looks at the
// reactor: half a millisecond where the coroutines are brief between their
// suspensions.
type CoroutineInfo struct {
	ID                     uint64
	Name, State            string
	SpawnedAt, SuspendedAt string        // file:line; SuspendedAt only while it is suspended
	WaitsFor               []string      // each event, or what else it is that it waits for
	Age, Parked            time.Duration // Parked is 0 where it is not suspended
}

// Snapshot is safe from any goroutine. Off the loop it waits for the loop to come
// by: a coroutine that holds the loop holds it up as well.
func (s *Scheduler) Snapshot() (snap Snapshot) {
	s.inquire(func() { snap.Scopes = []ScopeInfo{s.scope.info()} })
	return snap
}

func (sc *Scope) info() ScopeInfo {
	info := ScopeInfo{Name: sc.name}
	for _, child := range sc.children {
		info.Scopes = append(info.Scopes, child.info())
	}
	for _, c := range sc.members() {
		info.Coroutines = append(info.Coroutines, c.info())
	}
	return info
}

// info describes the coroutine.
func (c *Coroutine) info() CoroutineInfo {
	now := c.s.stampAt(time.Now())
	info := CoroutineInfo{ID: c.id, Name: c.Name(), State: c.state.String(), SpawnedAt: c.SpawnedAt()}
	info.Age = time.Duration(now - c.spawned)
	if c.state == Suspended {
		info.Parked = time.Duration(now - c.carrier.since)
		info.SuspendedAt = c.SuspendedAt()
		info.WaitsFor = c.waitsFor()
	}
	return info
}

// waitsFor names what the coroutine, which is suspended, waits for.
func (c *Coroutine) waitsFor() (what []string) {
	k := c.carrier
	if k.wants != noWant {
		return []string{k.wants.String()}
	}
	for i := 0; i <= len(k.nodes); i++ {
		if n := k.node(i); n.ev != nil {
			what = append(what, fmt.Sprint(n.ev))
		}
	}
	return what
}
