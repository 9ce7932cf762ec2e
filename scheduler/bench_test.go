package scheduler_test

import (
	"context"
	"testing"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

func BenchmarkYield(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		n := b.N
		for range 2 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for ; n > 0; n-- {
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return nil
	})
}

func BenchmarkSpawn(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		for i := range b.N {
			scheduler.Go(ctx, func(ctx context.Context) error { return nil })
			if i%1000 == 0 {
				_ = scheduler.Yield(ctx)
			}
		}
		return nil
	})
}

func BenchmarkSleep(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		for range b.N {
			_ = scheduler.Sleep(ctx, 0)
		}
		return nil
	})
}

func BenchmarkRunEmpty(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		_ = scheduler.Run(context.Background(), func(ctx context.Context) error { return nil })
	}
}
func BenchmarkTimeout(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		for range b.N {
			_, cancel := scheduler.WithTimeout(ctx, time.Hour)
			cancel()
		}
		return nil
	})
}

func BenchmarkAwait(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		for range b.N {
			f, r := scheduler.NewFuture[int](ctx)
			scheduler.Go(ctx, func(context.Context) error { return r.Complete(1) })
			if _, err := f.Await(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkSuspendResume(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		over := false
		sleeper := scheduler.Go(ctx, func(ctx context.Context) error {
			for !over {
				if _, err := scheduler.Suspend(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		for range b.N {
			_ = scheduler.Yield(ctx)
			_ = sleeper.Resume(nil)
		}
		over = true
		return nil
	})
}
