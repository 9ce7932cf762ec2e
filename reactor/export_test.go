package reactor

import "github.com/trueasync/trueasync-go/internal/poll"

// WithBackend has a reactor use another backend than its system's.
func WithBackend(open func() (poll.Backend, error)) Option {
	return func(r *Reactor) { r.open = open }
}
