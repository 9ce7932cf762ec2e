package aio

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/fswatch"
	"github.com/trueasync/trueasync-go/internal/poll/kqfake"
)

// WatchByKqueue is Watch as on a system with kqueue, over a fake one.
func WatchByKqueue(ctx context.Context, path string, recursive bool) (*Watcher, error) {
	return watch(ctx, path, recursive, func(path string, recursive bool) (fswatch.Source, error) {
		queue, err := kqfake.OpenQueue()
		if err != nil {
			return nil, err
		}
		return fswatch.NewKqueue(queue, path, recursive)
	})
}
