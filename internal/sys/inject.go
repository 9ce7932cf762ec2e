package sys

import (
	"sync/atomic"
	"syscall"
)

// Call names what a Hook is consulted about.
type Call uint8

// The calls. CallReady is none: it is one readiness event about to be seen.
const (
	CallRead Call = iota + 1
	CallWrite
	CallReceive
	CallSend
	CallAccept
	CallConnect
	CallRegister
	CallWait
	CallReady
	CallClose
	CallOpen
	CallSplice
	calls
)

// Calls are all of them.
func Calls() []Call {
	all := make([]Call, 0, calls-1)
	for c := CallRead; c < calls; c++ {
		all = append(all, c)
	}
	return all
}

// String is the call's name.
func (c Call) String() string {
	return [...]string{
		"none", "read", "write", "receive", "send", "accept", "connect",
		"register", "wait", "ready", "close", "open", "splice",
	}[c]
}

// Fault is what a Hook does to a call. The zero value does nothing.
type Fault struct {
	// Errno fails the call, which is not made; a close is made all the same,
	// and so is a connect that EINTR interrupts.
	Errno syscall.Errno
	// Limit, where it is above 0, is how many bytes the call may transfer.
	Limit int
	// Lose drops a readiness event, Double shows it twice.
	Lose, Double bool
}

// Hook is consulted before each call on a descriptor, from whichever goroutine
// makes it.
type Hook func(c Call, fd int) Fault

var hook atomic.Pointer[Hook]

// Inject has h consulted from now on. It is for tests, one at a time; the
// process is theirs until undo.
func Inject(h Hook) (undo func()) {
	if !hook.CompareAndSwap(nil, &h) {
		panic("sys: a hook is in place already")
	}
	return func() { hook.Store(nil) }
}

// consult asks the hook, if there is one, how a call for n bytes is to go.
func consult(c Call, fd, n int) (int, syscall.Errno) {
	h := hook.Load()
	if h == nil {
		return n, 0
	}
	f := (*h)(c, fd)
	if f.Limit > 0 {
		n = min(n, f.Limit)
	}
	return n, f.Errno
}

// Consult asks the hook about a call that is made elsewhere and transfers nothing.
func Consult(c Call, fd int) syscall.Errno {
	_, e := consult(c, fd, 0)
	return e
}

// Sightings is how often a readiness event for fd is to be seen: once, unless a
// hook says otherwise.
func Sightings(fd int) int {
	h := hook.Load()
	if h == nil {
		return 1
	}
	switch f := (*h)(CallReady, fd); {
	case f.Lose:
		return 0
	case f.Double:
		return 2
	}
	return 1
}
