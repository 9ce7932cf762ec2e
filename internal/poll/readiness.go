//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package poll

import (
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/internal/sys"
)

// Desc is a descriptor as the readiness backend knows it.
//
// Invariants: a request that waits is in waiting, polls or firing of its
// descriptor; may[d] is false only if the kernel has said since that direction
// d would block, or has been drained, and nothing has been reported after;
// a descriptor whose have is off has never been told to the kernel, and one
// that is detached is told nothing any more.
type Desc struct {
	fd     int
	tag    uint32
	traits Traits
	shares int  // Share calls not undone
	owned  bool // attached
	gone   bool // detached: nothing may reach fd

	may      [2]bool // the direction may be ready
	waiting  [2]queue
	polls    queue
	firing   queue // polls whose readiness has been reported
	have     interest
	more     bool  // a report said that a short read leaves something: see report.more
	recheck  bool  // the kernel must be asked although the interest is the same
	unwanted uint8 // reports in a row that nobody waited for
	failed   syscall.Errno

	dirty    bool // in Readiness.dirty
	reported bool // in Readiness.ready or turn
}

// The directions as indices.
const (
	in = iota
	out
)

// maxUnwanted reports in a row that nobody waits for end the interest in the
// direction they are about: a chatty peer of an idle reader costs no more.
const maxUnwanted = 2

// fairShare is how many requests of one direction are carried out before the
// other descriptors have their turn.
const fairShare = 16

// Readiness is the Backend of a system that reports readiness: it tries each
// request, and waits for readiness when the call would have blocked.
//
// Own descriptors are registered once, when a request first has to wait, both
// directions, edge-triggered. One that somebody polls is level-triggered for
// as long as that lasts, and its interest is just what is waited for.
type Readiness struct {
	sel     selector
	descs   []*Desc // by descriptor; the tag tells whether a report means this one
	lastTag uint32
	under   int // requests under way

	dirty []*Desc // whose interest is to be looked at before the next wait
	ready []*Desc // reported since the serving began
	turn  []*Desc // being served, from next on
	next  int
	seen  []report
	vec   sys.Vec

	mu     sync.Mutex // holds off close while wake is at work
	closed bool
}

func newReadiness(sel selector) *Readiness {
	return &Readiness{sel: sel, seen: make([]report, 128)}
}

// Attach implements [Backend].
func (e *Readiness) Attach(fd int, traits Traits) *Desc {
	if fd < len(e.descs) && e.descs[fd] != nil && e.descs[fd].owned {
		e.Detach(e.descs[fd]) // it was closed behind our back
	}
	d := e.desc(fd)
	d.owned, d.traits = true, traits
	d.more = !traits.ShortIsDrained || !e.sel.urgent()
	// Polls of the number's former owner may have left a registration that the
	// kernel has dropped.
	d.recheck = true
	return d
}

// Share implements [Backend].
func (e *Readiness) Share(fd int) *Desc {
	d := e.desc(fd)
	d.shares++
	d.recheck = true
	return d
}

func (e *Readiness) desc(fd int) *Desc {
	for fd >= len(e.descs) {
		e.descs = append(e.descs, nil)
	}
	d := e.descs[fd]
	if d == nil {
		e.lastTag++
		d = &Desc{fd: fd, tag: e.lastTag, may: [2]bool{true, true}}
		e.descs[fd] = d
	}
	return d
}

// Release implements [Backend].
func (e *Readiness) Release(d *Desc) {
	d.shares--
	switch {
	case d.gone:
	case d.shares == 0 && !d.owned:
		e.forget(d)
	default:
		e.soil(d)
	}
}

// forget takes d away from the kernel and from the table. That the kernel has
// forgotten it already, or that its number is another's, is no concern.
func (e *Readiness) forget(d *Desc) {
	d.gone = true
	if d.have.on {
		_ = e.apply(d, interest{})
	}
	e.descs[d.fd] = nil
}

// Detach implements [Backend].
func (e *Readiness) Detach(d *Desc) (ours bool) {
	if d.gone {
		return false
	}
	e.forget(d)
	e.failAll(d, net.ErrClosed)
	return true
}

// failAll completes everything under way on d. Should an owner panic, the rest
// is completed before the panic goes on.
func (e *Readiness) failAll(d *Desc, err error) {
	finished := false
	defer func() {
		if !finished {
			e.failAll(d, err)
		}
	}()
	for _, q := range []*queue{&d.firing, &d.polls, &d.waiting[in], &d.waiting[out]} {
		for q.head != nil {
			e.end(q.head, err)
		}
	}
	finished = true
}

// end completes a request that waits.
func (e *Readiness) end(op *Op, err error) {
	e.unpark(op)
	op.Err = err
	op.Owner.Completed(op)
}

// Cancel implements [Backend].
func (e *Readiness) Cancel(op *Op, err error) {
	if op.in == nil {
		return
	}
	d := op.desc
	if op.Kind == Poll {
		e.soil(d)
	} else {
		// Whoever gives up waiting may doubt that there was nothing: the next
		// request asks the system again.
		d.may[direction(op)] = true
	}
	e.end(op, err)
}

func (e *Readiness) park(d *Desc, q *queue, op *Op) {
	op.desc = d
	q.push(op)
	e.under++
	e.soil(d)
}

func (e *Readiness) unpark(op *Op) {
	op.in.remove(op)
	e.under--
}

// soil has the interest in d looked at before the next wait.
func (e *Readiness) soil(d *Desc) {
	if !d.dirty {
		d.dirty = true
		e.dirty = append(e.dirty, d)
	}
}

// Busy implements [Backend].
func (e *Readiness) Busy() bool { return e.under > 0 }

// Submit implements [Backend].
func (e *Readiness) Submit(d *Desc, op *Op) (done bool) {
	op.N, op.Err, op.Accepted, op.connecting = 0, nil, -1, false
	if d.gone {
		op.Err = net.ErrClosed
		return true
	}
	switch op.Kind {
	case Poll:
		return e.submitPoll(d, op)
	case Ready:
		dir := direction(op)
		d.may[dir] = false
		d.recheck = true // what was reported since the caller's own call counts
		e.park(d, &d.waiting[dir], op)
		return false
	}
	dir := direction(op)
	if d.waiting[dir].head == nil && d.may[dir] && e.try(d, op) {
		return true
	}
	e.park(d, &d.waiting[dir], op)
	return false
}

// submitPoll registers a descriptor at once where it is not, so that one that
// cannot be polled is refused here.
func (e *Readiness) submitPoll(d *Desc, op *Op) (done bool) {
	e.park(d, &d.polls, op)
	if d.have.on && !d.recheck {
		return false
	}
	if errno := e.register(d); errno != 0 {
		e.unpark(op)
		op.Err = os.NewSyscallError("poll", errno)
		return true
	}
	return false
}

func direction(op *Op) int {
	switch op.Kind {
	case Read, Receive, Accept:
		return in
	case Ready, Call:
		if op.Mode == In {
			return in
		}
	}
	return out
}

// wanted is the interest that those who wait on d have.
func (e *Readiness) wanted(d *Desc) interest {
	var want Mode
	if d.waiting[in].head != nil {
		want |= In
	}
	if d.waiting[out].head != nil {
		want |= Out
	}
	if d.shares > 0 {
		for op := d.polls.head; op != nil; op = op.next {
			want |= op.Mode
		}
		// A level-triggered registration reports errors even for an empty mode.
		return interest{mode: want, level: true, on: want != 0}
	}
	have := d.have
	switch {
	case have.on && !have.level:
		want |= have.mode
	case want == 0:
		return interest{}
	case e.sel.eager():
		want = In | Out
	}
	return interest{mode: want, on: true}
}

// register has the kernel know of the interest in d.
func (e *Readiness) register(d *Desc) syscall.Errno {
	to := e.wanted(d)
	if d.have == to && (!d.recheck || !to.on) {
		return 0
	}
	d.recheck = false
	return e.apply(d, to)
}

func (e *Readiness) apply(d *Desc, to interest) syscall.Errno {
	errno := e.sel.set(d.fd, d.tag, d.have, to)
	if errno != 0 {
		to = interest{}
	}
	d.have = to
	return errno
}

// flush registers what has changed since the last wait.
func (e *Readiness) flush() {
	for i, d := range e.dirty {
		e.dirty[i], d.dirty = nil, false
		if d.gone {
			continue
		}
		if errno := e.register(d); errno != 0 {
			d.failed = errno
			e.report(d)
		}
	}
	e.dirty = e.dirty[:0]
}

func (e *Readiness) report(d *Desc) {
	if !d.reported {
		d.reported = true
		e.ready = append(e.ready, d)
	}
}

// Wait implements [Backend].
func (e *Readiness) Wait(timeout time.Duration) error {
	e.flush()
	if len(e.ready) > 0 || e.next < len(e.turn) {
		timeout = 0
	}
	n, errno := e.sel.wait(e.seen, timeout)
	if errno != 0 {
		return os.NewSyscallError("wait", errno)
	}
	for i := range e.seen[:n] {
		for range sys.Sightings(e.seen[i].fd) {
			if err := e.note(&e.seen[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// note takes down one report. Nothing is completed here, so the table does not
// change between the reports of one wait.
func (e *Readiness) note(rep *report) error {
	var d *Desc
	if rep.fd < len(e.descs) {
		d = e.descs[rep.fd]
	}
	if d == nil || e.sel.tagOf(d.tag) != rep.tag {
		return e.stale(rep.fd, d)
	}
	mode := rep.mode
	if rep.end {
		mode = In | Out
	}
	d.more = d.more || rep.more
	useful := false
	for dir, m := range [...]Mode{In, Out} {
		if mode&m != 0 {
			d.may[dir] = true
			useful = useful || d.waiting[dir].head != nil
		}
	}
	for op := d.polls.head; op != nil; {
		next := op.next
		if rep.end || op.Mode&mode != 0 {
			d.polls.remove(op)
			d.firing.push(op)
			useful = true
		}
		op = next
	}
	if useful {
		d.unwanted = 0
		e.report(d)
		return nil
	}
	return e.ignore(d)
}

// ignore counts a report that nobody waited for.
func (e *Readiness) ignore(d *Desc) error {
	if d.have.level {
		e.soil(d)
		return nil
	}
	if d.unwanted++; d.unwanted < maxUnwanted {
		return nil
	}
	d.unwanted = 0
	to := interest{on: true}
	for dir, m := range [...]Mode{In, Out} {
		if d.waiting[dir].head != nil {
			to.mode |= m
		}
	}
	if to != d.have && e.apply(d, to) != 0 {
		e.soil(d)
	}
	return nil
}

// stale deals with a report about a registration that was given up. As a rule
// it is a remnant, and harmless; but where a descriptor was closed behind our
// back while a duplicate of it lives on, the kernel goes on reporting, for
// ever, and nothing names the registration any more. Then only a new start helps.
func (e *Readiness) stale(fd int, d *Desc) error {
	if d == nil && e.sel.set(fd, 0, interest{mode: In | Out, on: true}, interest{}) == 0 {
		return nil
	}
	if errno := e.sel.renew(); errno != 0 {
		return os.NewSyscallError("renew", errno)
	}
	for _, d := range e.descs {
		if d != nil && d.have.on {
			to := d.have
			d.have = interest{}
			if errno := e.apply(d, to); errno != 0 {
				d.failed = errno
				e.report(d)
			}
		}
	}
	return nil
}

// Deliver implements [Backend]. A descriptor is passed over only when it has
// been served, so that a panic on the way leaves it, and those behind it, for
// the next call. Those whose share is used up, and those reported meanwhile,
// wait for the next call too.
func (e *Readiness) Deliver() {
	if e.next == len(e.turn) {
		e.turn, e.ready, e.next = e.ready, e.turn[:0], 0
	}
	for e.next < len(e.turn) {
		d := e.turn[e.next]
		again := e.serve(d)
		if e.next >= len(e.turn) || e.turn[e.next] != d {
			continue // closed, or delivered from within
		}
		e.turn[e.next] = nil
		e.next++
		d.reported = false
		if again {
			e.report(d)
		}
	}
}

// serve carries out what waits on d, and reports whether it must be continued.
func (e *Readiness) serve(d *Desc) (again bool) {
	if errno := d.failed; errno != 0 {
		d.failed = 0
		e.failAll(d, os.NewSyscallError("register", errno))
		return false
	}
	for d.firing.head != nil {
		e.end(d.firing.head, nil)
	}
	for dir := range d.waiting {
		share := fairShare
		for q := &d.waiting[dir]; q.head != nil && d.may[dir] && !d.gone; share-- {
			if share == 0 {
				again = true
				break
			}
			op := q.head
			if !e.try(d, op) {
				break
			}
			e.unpark(op)
			op.Owner.Completed(op)
		}
	}
	return again
}

// Wake implements [Backend].
func (e *Readiness) Wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.sel.wake()
	}
}

// Close implements [Backend].
func (e *Readiness) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		e.sel.close()
		e.ready, e.turn, e.next, e.dirty, e.descs = nil, nil, 0, nil, nil
	}
}
