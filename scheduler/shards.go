package scheduler

import (
	"context"
	"fmt"
	"sync"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// RunShards runs main on n Schedulers at once, each a loop on a goroutine of its
// own, and returns when all have ended. A failure of one shuts the others down;
// the failures are returned in the order of the shards, in a [*CompositeError].
// Shards share no coroutine; they talk through Submit, futures, which may be
// awaited across loops, and ordinary Go channels behind Offload. Options apply
// to each; WithReactor, which cannot be shared, panics, as does an n below 1.
//
//go:noinline
func RunShards(ctx context.Context, n int, main func(ctx context.Context, shard int) error, opts ...Option) error {
	if n < 1 || main == nil || ctx == nil {
		misuse("RunShards: at least 1 shard, a ctx and a main are needed")
	}
	pc := gid.CallerPC()
	shards := make([]*Scheduler, n)
	for i := range shards {
		shards[i] = New(opts...)
		if shards[i].reactor != nil {
			misuse("RunShards: a reactor cannot be shared")
		}
	}
	failures := make([]error, n)
	var all sync.WaitGroup
	for i, s := range shards {
		all.Go(func() {
			err := s.run(ctx, func(ctx context.Context) error { return main(ctx, i) }, pc)
			if err == nil {
				return
			}
			failures[i] = fmt.Errorf("scheduler: shard %d: %w", i, err)
			for _, other := range shards {
				if other != s {
					other.Shutdown(failures[i])
				}
			}
		})
	}
	all.Wait()
	composite := &CompositeError{}
	for _, err := range failures {
		if err != nil {
			composite.Errs = append(composite.Errs, err)
		}
	}
	if len(composite.Errs) == 0 {
		return nil
	}
	return composite
}
