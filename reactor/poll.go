package reactor

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// Mode is a set of directions.
type Mode uint8

// The directions of a Poll.
const (
	Readable Mode = 1 << iota
	Writable
)

// String is "read", "write" or "read+write".
func (m Mode) String() string {
	switch m {
	case Readable:
		return "read"
	case Writable:
		return "write"
	case Readable | Writable:
		return "read+write"
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// ops is m as the backend has it.
func (m Mode) ops() (p poll.Mode) {
	if m&Readable != 0 {
		p |= poll.In
	}
	if m&Writable != 0 {
		p |= poll.Out
	}
	return p
}

// Poll fires when a descriptor that someone else owns is ready. Many polls may
// watch one descriptor, each with its own mode; an error or hang-up fires all.
//
// A poll is level-triggered: it fires with each tick for as long as the
// descriptor is ready. Stop it before the descriptor is closed. A failure of the
// system's to watch the descriptor completes the poll, until it is started again.
type Poll struct {
	waiters
	r      *Reactor
	fd     int
	mode   Mode
	starts starts
	desc   *poll.Desc // while armed
	op     poll.Op
	member member
}

// errStopped ends the request of a poll that was stopped.
var errStopped = errors.New("stopped")

// NewPoll returns an idle poll over fd.
func (r *Reactor) NewPoll(fd int, mode Mode) (*Poll, error) {
	if mode == 0 || mode&^(Readable|Writable) != 0 {
		return nil, fmt.Errorf("reactor: poll of descriptor %d with %v: %w", fd, mode, syscall.EINVAL)
	}
	if err := sys.Check(fd); err != nil {
		return nil, fmt.Errorf("reactor: poll of descriptor %d: %w", fd, err)
	}
	p := &Poll{r: r, fd: fd, mode: mode}
	p.op.Owner = (*pollOwner)(p)
	return p, nil
}

// Start arms the poll; see [Event]. It fails where the system cannot watch the
// descriptor, as with a regular file.
func (p *Poll) Start() error {
	if p.r.closed {
		return net.ErrClosed
	}
	if p.starts.any() {
		p.starts.start()
		return nil
	}
	backend, err := p.r.poller()
	if err != nil {
		return err
	}
	p.desc = backend.Share(p.fd)
	if err := p.submit(); err != nil {
		backend.Release(p.desc)
		return err
	}
	p.starts = 1
	p.pend()
	p.r.alive++
	p.r.armed.add(&p.member, p)
	return nil
}

// Stop undoes one Start; see [Event].
func (p *Poll) Stop() {
	if p.starts.stop() {
		p.disarm()
	}
}

func (p *Poll) disarm() {
	p.starts = 0
	p.r.alive--
	p.member.leave()
	p.r.backend.Cancel(&p.op, errStopped)
	p.r.backend.Release(p.desc)
}

func (p *Poll) submit() error {
	p.op.Kind, p.op.Mode = poll.Poll, p.mode.ops()
	if p.r.backend.Submit(p.desc, &p.op) {
		return fmt.Errorf("reactor: %v: %w", p, p.op.Err)
	}
	return nil
}

// pollOwner is a Poll as the backend sees it.
type pollOwner Poll

// Completed implements [poll.Owner].
func (o *pollOwner) Completed(op *poll.Op) { (*Poll)(o).ready(op.Err) }

// ready is told of one readiness, or of a failure. The request stands for one
// readiness, so it is made anew before those who wait are told, who may stop it.
func (p *Poll) ready(err error) {
	if err == errStopped {
		return
	}
	if err == nil {
		err = p.submit()
	}
	p.r.fired++
	if err != nil {
		p.disarm()
		p.complete(err)
		return
	}
	p.fire(nil)
}

func (p *Poll) abandon() {
	p.disarm()
	p.complete(net.ErrClosed)
}

// String names the poll: "poll read of descriptor 7".
func (p *Poll) String() string { return fmt.Sprintf("poll %v of descriptor %d", p.mode, p.fd) }
