package scheduler_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

func TestSmoke(t *testing.T) {
	var got []string
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		f := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			got = append(got, "spawned")
			if err := scheduler.Sleep(ctx, 5*time.Millisecond); err != nil {
				return 0, err
			}
			return 42, nil
		})
		for range 3 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				got = append(got, "go")
				return scheduler.Yield(ctx)
			})
		}
		v, err := f.Await(ctx)
		require.NoError(t, err)
		require.Equal(t, 42, v)
		ch := scheduler.NewChannel[int](ctx, 0)
		scheduler.Go(ctx, func(ctx context.Context) error {
			for i := range 5 {
				if err := ch.Send(ctx, i); err != nil {
					return err
				}
			}
			ch.Close(nil)
			return nil
		})
		sum := 0
		for v := range ch.All(ctx) {
			sum += v
		}
		require.Equal(t, 10, sum)
		tctx, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		err = scheduler.Sleep(tctx, time.Hour)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, context.Canceled)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"spawned", "go", "go", "go"}, got)
}

func TestSmokeFailures(t *testing.T) {
	boom := errors.New("boom")
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error { return boom })
		return scheduler.Sleep(ctx, time.Hour)
	})
	require.ErrorIs(t, err, boom)

	err = scheduler.Run(context.Background(), func(ctx context.Context) error {
		f, _ := scheduler.NewFuture[int](ctx)
		_, err := f.Await(ctx)
		return err
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead)
	t.Log(err)

	err = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error { panic("x") })
		return scheduler.AwaitShutdown(ctx)
	}, scheduler.WithLogger(nil))
	var p *scheduler.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, string(p.Stack), "TestSmokeFailures")

	err = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error { t.Log("x"); require.True(&fake{}, false); return nil })
		return scheduler.AwaitShutdown(ctx)
	}, scheduler.WithLogger(nil))
	require.ErrorIs(t, err, scheduler.ErrGoexit)
}

type fake struct{}

func (*fake) Errorf(string, ...any) {}
func (*fake) FailNow()              { runtime.Goexit() }

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
func BenchmarkChan(b *testing.B) {
	b.ReportAllocs()
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		scheduler.Go(ctx, func(ctx context.Context) error {
			for i := range b.N {
				_ = ch.Send(ctx, i)
			}
			ch.Close(nil)
			return nil
		})
		for range ch.All(ctx) {
		}
		return nil
	})
}
