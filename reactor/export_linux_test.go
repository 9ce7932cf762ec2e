package reactor

import "github.com/trueasync/trueasync-go/internal/poll"

// WithQueue has a reactor wait for children as on a system with kqueue.
func WithQueue(open func() (poll.Queue, error)) Option {
	return func(r *Reactor) {
		r.watchChild = func(p *Process) (ended bool, err error) { return p.watchQueue(open) }
	}
}
