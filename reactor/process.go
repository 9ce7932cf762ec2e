package reactor

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// Process fires once, when a child that this program started has ended, and
// reaps it. It never reaps another's child, nor more than its own one. Where
// someone else has reaped the child, it fires with an error and State is nil.
type Process struct {
	waiters
	r       *Reactor
	p       *os.Process
	starts  starts
	state   *os.ProcessState
	unwatch func() // while armed
	member  member
}

// NewProcess returns an idle event over p, and State is its result. It fails
// for a process that is not a child of this one, as far as the system can tell.
func (r *Reactor) NewProcess(p *os.Process) (*Process, error) {
	if p == nil {
		return nil, errors.New("reactor: nil process")
	}
	if err := checkChild(p); err != nil {
		return nil, fmt.Errorf("reactor: process %d: %w", p.Pid, err)
	}
	return &Process{r: r, p: p}, nil
}

// Start arms the event; see [Event]. A child that has ended already fires it
// before Start returns.
func (p *Process) Start() error {
	switch {
	case p.r.closed:
		return net.ErrClosed
	case p.state != nil:
		return nil
	case p.starts.any():
		p.starts.start()
		return nil
	}
	p.pend()
	ended, err := p.r.watchChild(p)
	if err != nil {
		return fmt.Errorf("reactor: %v: %w", p, err)
	}
	p.starts = 1
	p.r.alive++
	p.r.armed.add(&p.member, p)
	if ended {
		p.reap()
	}
	return nil
}

// Stop undoes one Start; see [Event]. The child is then reaped by whoever waits
// for it next, or not at all.
func (p *Process) Stop() {
	if p.starts.stop() {
		p.disarm()
	}
}

func (p *Process) disarm() {
	p.starts = 0
	p.r.alive--
	p.member.leave()
	if p.unwatch != nil {
		p.unwatch()
		p.unwatch = nil
	}
}

// reap is called when the child has ended: waiting for it does not block.
func (p *Process) reap() {
	state, err := p.p.Wait()
	p.ended(state, err)
}

func (p *Process) ended(state *os.ProcessState, err error) {
	p.disarm()
	p.r.fired++
	if err != nil {
		p.complete(fmt.Errorf("reactor: %v: %w", p, err))
		return
	}
	p.state = state
	p.complete(nil)
}

func (p *Process) abandon() {
	p.disarm()
	p.complete(net.ErrClosed)
}

// State is the ended child's state, nil before.
func (p *Process) State() *os.ProcessState { return p.state }

// String names the event: "process 4711".
func (p *Process) String() string { return fmt.Sprintf("process %d", p.p.Pid) }
