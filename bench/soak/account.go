package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// account is what both ends of a connection know of it. They are in one process,
// so it can be held against itself.
//
// Whoever ends the connection in another way than by a half-close says so before
// it does. Then data may be missing, but none may be wrong, or too much.
type account struct {
	id   uint64
	kind kind

	sent, arrived  atomic.Int64 // from the client: taken by its system, read by the server
	returned, back atomic.Int64 // and from the server
	acknowledged   atomic.Int64 // of what was sent, as the server has told the client

	clientBroke, serverBroke atomic.Bool
	torn                     atomic.Bool // a frame was broken off, others may follow it
	finished                 atomic.Bool // the client has read the server's end

	mu       sync.Mutex
	failures []failure
}

// failure is an error that nobody has caused on purpose, unless somebody broke the
// connection.
type failure struct {
	end      string
	err      error
	mismatch bool // what was read is not what was sent
}

// fail notes the failure of one end.
func (a *account) fail(end string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failures = append(a.failures, failure{end: end, err: err, mismatch: isMismatch(err)})
}

// broken reports whether somebody has ended the connection on purpose.
func (a *account) broken() bool { return a.clientBroke.Load() || a.serverBroke.Load() }

// faults says what is wrong with the connection, now that both ends have gone.
func (a *account) faults() (out []string) {
	wrong := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("connection %d, %v: ", a.id, a.kind)+fmt.Sprintf(format, args...))
	}
	sent, arrived := a.sent.Load(), a.arrived.Load()
	returned, back := a.returned.Load(), a.back.Load()
	acknowledged := a.acknowledged.Load()
	if arrived > sent {
		wrong("%d bytes sent, %d arrived", sent, arrived)
	}
	if back > returned {
		wrong("%d bytes returned, %d came back", returned, back)
	}
	if acknowledged > arrived {
		wrong("%d bytes acknowledged, %d arrived", acknowledged, arrived)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.failures {
		if f.mismatch && !a.torn.Load() || !f.mismatch && !a.broken() {
			wrong("%s: %v", f.end, f.err)
		}
	}
	if a.broken() {
		return out
	}
	if !a.finished.Load() {
		wrong("the client has not read the end")
	}
	if arrived < sent {
		wrong("%d bytes sent, only %d arrived", sent, arrived)
	}
	if back < returned {
		wrong("%d bytes returned, only %d came back", returned, back)
	}
	if a.kind == acks && acknowledged < sent || a.kind != acks && back < sent {
		wrong("%d bytes sent, %d acknowledged, %d came back", sent, acknowledged, back)
	}
	return out
}

// ledger has the accounts of a wave. It is safe from any goroutine.
type ledger struct {
	mu       sync.Mutex
	accounts map[uint64]*account
	last     uint64
	broken   bool // all of them, also those that are opened later
}

func newLedger(after uint64) *ledger {
	return &ledger{accounts: make(map[uint64]*account), last: after}
}

// open opens an account under a number that no other connection has.
func (l *ledger) open(k kind) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	a := &account{id: l.last, kind: k}
	l.accounts[a.id] = a
	a.serverBroke.Store(l.broken)
	return a
}

// breakAll says of every connection that it does not end as it should.
func (l *ledger) breakAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = true
	for _, a := range l.accounts {
		a.serverBroke.Store(true)
	}
}

// account finds one by its number, nil where there is none.
func (l *ledger) account(id uint64) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accounts[id]
}

// close sums the accounts up and says what is wrong with them.
func (l *ledger) close() (bytes int64, faults []string) {
	for _, a := range l.accounts {
		bytes += a.arrived.Load() + a.back.Load()
		faults = append(faults, a.faults()...)
	}
	return bytes, faults
}
