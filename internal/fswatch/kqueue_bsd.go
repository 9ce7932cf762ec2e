//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package fswatch

import "github.com/trueasync/trueasync-go/internal/poll"

// New begins to watch path, and what is below it where that is asked for.
func New(path string, recursive bool) (Source, error) {
	queue, err := poll.OpenQueue()
	if err != nil {
		return nil, err
	}
	return NewKqueue(queue, path, recursive)
}
