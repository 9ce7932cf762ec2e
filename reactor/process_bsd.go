//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package reactor

import (
	"os"

	"github.com/trueasync/trueasync-go/internal/poll"
)

// checkChild refuses nothing: these systems tell only when waiting.
func checkChild(*os.Process) error { return nil }

// watch begins to wait for the child's end, and reports whether it has ended already.
func (p *Process) watch() (ended bool, err error) { return p.watchQueue(poll.OpenQueue) }
