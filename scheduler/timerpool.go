package scheduler

import (
	"time"

	"github.com/trueasync/trueasync-go/reactor"
)

// timerPool keeps idle timers, so that Sleep and timeouts allocate none.
type timerPool struct {
	idle  []*reactor.Timer
	unref bool // its timers let the loop end
}

// take returns an idle timer of duration d.
func (p *timerPool) take(r *reactor.Reactor, d time.Duration) *reactor.Timer {
	if n := len(p.idle); n > 0 {
		t := p.idle[n-1]
		p.idle = p.idle[:n-1]
		t.Reset(d)
		return t
	}
	t := r.NewTimer(d, 0)
	if p.unref {
		t.Unref()
	}
	return t
}

// give takes back a timer that is stopped and that nobody waits for.
func (p *timerPool) give(t *reactor.Timer) {
	if len(p.idle) < maxIdle {
		p.idle = append(p.idle, t)
	}
}
