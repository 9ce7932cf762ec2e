package taskgroup_test

import (
	"context"
	"testing"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func BenchmarkGroup(b *testing.B) {
	const tasks = 10_000
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		for b.Loop() {
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(50))
			for i := range tasks {
				_ = g.Spawn(ctx, func(context.Context) (int, error) { return i, nil })
			}
			if _, err := g.All().Await(ctx); err != nil {
				return err
			}
			_ = g.Dispose()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
		return nil
	})
}
