//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package poll

import (
	"syscall"
	"time"
)

// A selector is what a system has to report readiness with; [Readiness] makes
// a Backend of it. Each is one thin file. Registrations have a tag, which comes
// back with what is reported about them.
type selector interface {
	// set brings the registration of fd from one interest to another; either
	// may be none. It agrees to what is so already: a registration that exists,
	// or is gone. A registration that is new, or is set to what it was, reports
	// what is ready then. A failure leaves none.
	set(fd int, tag uint32, from, to interest) syscall.Errno
	// wait fills seen with at most len(seen) reports, and waits as Backend.Wait
	// does. A wake-up is no report.
	wait(seen []report, timeout time.Duration) (int, syscall.Errno)
	// eager reports whether registering both directions costs no more than one.
	eager() bool
	// urgent reports whether urgent data, which makes a read stop short of what
	// lies behind it, is reported.
	urgent() bool
	// tagOf is as much of a tag as a report can carry.
	tagOf(tag uint32) uint32
	// renew replaces what cannot be repaired: it starts over with no registrations.
	renew() syscall.Errno
	// wake ends a wait; from any goroutine.
	wake()
	close()
}

// interest is what a registration watches.
type interest struct {
	mode  Mode
	level bool // level-triggered; else edge-triggered
	on    bool // there is a registration, be its mode empty
}

// report says what is ready. Both directions of a descriptor may come in one
// report or in two.
type report struct {
	fd   int
	tag  uint32
	mode Mode
	// end: the peer has hung up, or there is an error. Both directions are to
	// be tried, and it is the system call that decides.
	end bool
	// more: from now on a read that falls short of its buffer may leave
	// something: the end, an error, or what follows urgent data.
	more bool
}
