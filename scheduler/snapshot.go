package scheduler

import (
	"fmt"
	"time"
)

// Snapshot is the tree of scopes and coroutines at one moment.
type Snapshot struct{ Scopes []ScopeInfo }

// ScopeInfo is a scope in a snapshot.
type ScopeInfo struct {
	Name       string
	Scopes     []ScopeInfo
	Coroutines []CoroutineInfo
}

// CoroutineInfo is a coroutine in a snapshot or a report.
type CoroutineInfo struct {
	ID                     uint64
	Name, State            string
	SpawnedAt, SuspendedAt string // file:line
	WaitsFor               []string
	Age, Parked            time.Duration
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
	info := CoroutineInfo{ID: c.id, Name: c.Name(), State: c.state.String(), SpawnedAt: c.SpawnedAt()}
	if c.state == Suspended {
		info.SuspendedAt = c.SuspendedAt()
		info.WaitsFor = c.waitsFor()
	}
	return info
}

// waitsFor names what the coroutine, which is suspended, waits for.
func (c *Coroutine) waitsFor() (what []string) {
	k := c.carrier
	if k.waits != "" {
		return []string{k.waits}
	}
	for i := 0; i <= len(k.nodes); i++ {
		if n := k.node(i); n.ev != nil {
			what = append(what, fmt.Sprint(n.ev))
		}
	}
	return what
}
