package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/microtask"
	"github.com/trueasync/trueasync-go/scheduler"
)

var errStop = errors.New("stop")

// count yields 0, 1, … n-1, each with itself.
func count(n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range n {
			if !yield(i, i) {
				return
			}
		}
	}
}

func TestIterateCallsFnForEachPairInOrder(t *testing.T) {
	for _, n := range []int{1, 2, 7, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				var began []int
				done := map[int]bool{}
				err := scheduler.Iterate(ctx, count(50), n, func(ctx context.Context, k, v int) error {
					began = append(began, k)
					for range k % 4 {
						if err := scheduler.Yield(ctx); err != nil {
							return err
						}
					}
					done[v] = true
					return nil
				})
				require.NoError(t, err)
				require.True(t, slices.IsSorted(began), "in the order of the sequence: %v", began)
				require.Len(t, began, 50)
				require.Len(t, done, 50)
				return nil
			})
		})
	}
}

func TestIterateOfNothing(t *testing.T) {
	run(t, func(ctx context.Context) error {
		require.NoError(t, scheduler.Iterate(ctx, count(0), 3, func(context.Context, int, int) error {
			t.Error("called")
			return nil
		}))
		require.Empty(t, scheduler.Current(ctx).Scope().Children(), "its scope is gone")
		return nil
	})
}

// Exactly n calls are under way when there is enough to do, and never more,
// whatever the sequence is made of.
func TestFault_TA15_IterateIsAsConcurrentAsItSays(t *testing.T) {
	list := make([]int, 40)
	sources := map[string]func(context.Context) iter.Seq2[int, int]{
		"function": func(context.Context) iter.Seq2[int, int] { return count(len(list)) },
		"slice":    func(context.Context) iter.Seq2[int, int] { return slices.All(list) },
		"map": func(context.Context) iter.Seq2[int, int] {
			m := map[int]int{}
			for i := range list {
				m[i] = i
			}
			return maps.All(m)
		},
		"suspending": func(ctx context.Context) iter.Seq2[int, int] {
			return func(yield func(int, int) bool) {
				for i := range list {
					if scheduler.Yield(ctx) != nil || !yield(i, i) {
						return
					}
				}
			}
		},
		"channel": func(ctx context.Context) iter.Seq2[int, int] {
			ch := scheduler.NewChannel[int](ctx, 0)
			scheduler.Go(ctx, func(ctx context.Context) error {
				defer ch.Close(nil)
				for i := range list {
					if err := ch.Send(ctx, i); err != nil {
						return err
					}
				}
				return nil
			})
			return func(yield func(int, int) bool) {
				for v := range ch.All(ctx) {
					if !yield(v, v) {
						return
					}
				}
			}
		},
	}
	for name, source := range sources {
		for _, n := range []int{1, 2, 5, 40, 100} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				orders(t, func(ctx context.Context) error {
					now, most, calls := 0, 0, 0
					all := scheduler.NewChannel[struct{}](ctx, 0)
					err := scheduler.Iterate(ctx, source(ctx), n, func(ctx context.Context, _, _ int) error {
						now++
						calls++
						most = max(most, now)
						defer func() { now-- }()
						if now < min(n, len(list)-calls+now) { // another one will come
							_, err := all.Recv(ctx)
							return err
						}
						for all.TrySend(struct{}{}) {
						}
						return nil
					})
					require.NoError(t, err)
					require.Equal(t, min(n, len(list)), most)
					require.Equal(t, len(list), calls)
					return nil
				})
			})
		}
	}
}

// A pair is taken when its call can begin, and not before; the next one when that
// call has suspended or ended.
func TestIterateReadsNothingAhead(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		var got []string
		note := func(what string, i int) { got = append(got, fmt.Sprint(what, i)) }
		seq := func(yield func(int, int) bool) {
			for i := range 4 {
				note("take", i)
				if !yield(i, i) {
					return
				}
			}
		}
		gate := scheduler.NewChannel[int](ctx, 0)
		err := scheduler.Iterate(ctx, seq, 2, func(ctx context.Context, i, _ int) error {
			note("begin", i)
			var err error
			switch i {
			case 0: // suspends until 2, which has taken 1's place, is there
				_, err = gate.Recv(ctx)
			case 2:
				err = gate.Send(ctx, i)
			}
			note("end", i)
			return err
		})
		require.NoError(t, err)
		require.Equal(t, []string{"take0", "begin0", "take1", "begin1", "end1", "take2", "begin2", "end2"}, got[:8])
		require.ElementsMatch(t, []string{"end0", "take3", "begin3", "end3"}, got[8:])
		return nil
	})
}

// The iteration passes on when the call that holds it suspends, whatever it waits
// for, and though the others stay where they are.
func TestIteratePassesOnWhenACallSuspends(t *testing.T) {
	ways := map[string]func(ctx context.Context) error{
		"yield": scheduler.Yield,
		"sleep": func(ctx context.Context) error { return scheduler.Sleep(ctx, 0) },
		"offload": func(ctx context.Context) error {
			_, err := scheduler.Offload(ctx, func(context.Context) (int, error) { return 0, nil }).Await(ctx)
			return err
		},
		"protected": func(ctx context.Context) error { return scheduler.Protect(ctx, scheduler.Yield) },
	}
	for name, suspend := range ways {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				began := 0
				all, open := scheduler.NewFuture[int](ctx)
				return scheduler.Iterate(ctx, count(5), 5, func(ctx context.Context, _, _ int) error {
					if began++; began == 5 {
						return open.Complete(0)
					}
					if err := suspend(ctx); err != nil {
						return err
					}
					_, err := all.Await(ctx)
					return err
				})
			})
		})
	}
}

func TestIterateStopsAtTheFirstFailure(t *testing.T) {
	failures := map[string]struct {
		fail func() error
		is   func(*testing.T, error)
	}{
		"error": {func() error { return errStop }, func(t *testing.T, err error) { require.Equal(t, errStop, err) }},
		"panic": {func() error { panic(errStop) }, func(t *testing.T, err error) {
			var p *scheduler.PanicError
			require.ErrorAs(t, err, &p)
			require.Contains(t, string(p.Stack), "TestIterateStopsAtTheFirstFailure")
		}},
		"goexit": {func() error { runtime.Goexit(); return nil }, func(t *testing.T, err error) {
			require.Equal(t, scheduler.ErrGoexit, err)
		}},
	}
	for name, f := range failures {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				taken, cleaned := 0, 0
				var causes []error
				seq := func(yield func(int, int) bool) {
					for taken = 1; yield(taken, taken); taken++ {
					}
				}
				err := scheduler.Iterate(ctx, seq, 4, func(ctx context.Context, k, _ int) error {
					if k == 4 {
						return f.fail()
					}
					err := scheduler.Sleep(ctx, time.Hour)
					causes = append(causes, context.Cause(ctx))
					_ = scheduler.Yield(context.WithoutCancel(ctx)) // it may clean up
					cleaned++
					return err
				})
				f.is(t, err)
				require.Equal(t, 4, taken, "nothing is taken after the failure")
				require.Equal(t, 3, cleaned, "the others have ended")
				for _, cause := range causes {
					f.is(t, cause)
				}
				require.NoError(t, scheduler.Yield(ctx), "the coroutine that iterates is not cancelled")
				return nil
			}, scheduler.WithLogger(nil))
		})
	}
}

func TestIterateReturnsEveryFailure(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		other := errors.New("clean-up failed")
		err := scheduler.Iterate(ctx, count(3), 3, func(ctx context.Context, k, _ int) error {
			if k == 2 {
				return errStop
			}
			_, _ = scheduler.Suspend(ctx)
			if k == 1 {
				return other
			}
			return ctx.Err()
		})
		var all *scheduler.CompositeError
		require.ErrorAs(t, err, &all)
		require.Equal(t, []error{errStop, other}, all.Errs)
		return nil
	})
}

// A call that was not cancelled from outside and says it was has failed.
func TestIterateStopsAtACallThatCancelsItself(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		err := scheduler.Iterate(ctx, count(9), 3, func(ctx context.Context, k, _ int) error {
			if k == 2 {
				scheduler.Current(ctx).Cancel(errStop)
			}
			return scheduler.Yield(ctx)
		})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errStop)
		return scheduler.Yield(ctx)
	})
}

// Each call is a coroutine of its own: what one does to itself is not the next's.
func TestIterateCallsShareNothing(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ids := map[uint64]bool{}
		ended := 0
		err := scheduler.Iterate(ctx, count(9), 2, func(ctx context.Context, k, _ int) error {
			c := scheduler.Current(ctx)
			ids[c.ID()] = true
			require.Equal(t, k, ended, "the one before is over")
			c.Finally(func(*scheduler.Coroutine) { ended++ })
			c.Cancel(nil)
			return nil
		})
		require.NoError(t, err)
		require.Len(t, ids, 9)
		require.Equal(t, 9, ended)
		return nil
	})
}

func TestIterateEndsWithItsContext(t *testing.T) {
	type ending struct {
		derive func(context.Context) (context.Context, func())
		is     func(*testing.T, error)
	}
	cancelled := func(t *testing.T, err error) {
		var c *scheduler.CancelledError
		require.ErrorAs(t, err, &c)
		require.ErrorIs(t, err, errStop)
	}
	endings := map[string]ending{
		"bare": {func(ctx context.Context) (context.Context, func()) {
			c := scheduler.Current(ctx)
			return ctx, func() { c.Cancel(errStop) }
		}, cancelled},
		"derived": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(errStop) }
		}, cancelled},
		"timeout": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
			_ = cancel // the timeout is what ends it
			return ctx, func() {}
		}, func(t *testing.T, err error) { require.ErrorIs(t, err, context.DeadlineExceeded) }},
		"timeout of package context": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			_ = cancel
			return ctx, func() {}
		}, func(t *testing.T, err error) { require.ErrorIs(t, err, context.DeadlineExceeded) }},
	}
	where := map[string]iter.Seq2[int, int]{"calls are under way": count(100), "the sequence is over": count(3)}
	for name, e := range endings {
		for when, seq := range where {
			t.Run(name+"/"+when, func(t *testing.T) {
				orders(t, func(ctx context.Context) error {
					c := scheduler.Go(ctx, func(ctx context.Context) error {
						sub, end := e.derive(ctx)
						under, most := 0, 0
						err := scheduler.Iterate(sub, seq, 3, func(ctx context.Context, k, _ int) error {
							under++
							most = max(most, under)
							defer func() { under-- }()
							if k == 2 {
								end()
							}
							_, err := scheduler.Suspend(ctx)
							return err
						})
						e.is(t, err)
						require.Zero(t, under, "every call has ended")
						require.LessOrEqual(t, most, 3)
						return nil
					})
					return c.Await(ctx)
				})
			})
		}
	}
}

// The end of ctx reaches the calls also while the sequence waits under another.
func TestIterateIsCancelledWhileItsSequenceWaits(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ended, release := scheduler.NewFuture[int](ctx)
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			seq := func(yield func(int, int) bool) {
				if yield(0, 0) {
					_, err := ended.Await(context.WithoutCancel(ctx))
					require.NoError(t, err)
					yield(1, 1)
				}
			}
			return scheduler.Iterate(ctx, seq, 3, func(ctx context.Context, k, _ int) error {
				require.Zero(t, k, "nothing begins after the end")
				_, err := scheduler.Suspend(ctx)
				require.NoError(t, release.Complete(0))
				return err
			})
		})
		for range 5 {
			require.NoError(t, scheduler.Yield(ctx))
		}
		c.Cancel(errStop)
		require.ErrorIs(t, c.Await(ctx), errStop)
		require.True(t, c.Cancelled())
		return nil
	})
}

func TestIterateFailureBeatsCancellation(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sub, cancel := context.WithCancel(ctx)
		err := scheduler.Iterate(sub, count(3), 3, func(ctx context.Context, k, _ int) error {
			if k == 2 {
				cancel()
			}
			_, _ = scheduler.Suspend(ctx)
			return errStop
		})
		require.ErrorIs(t, err, errStop)
		require.NotErrorIs(t, err, context.Canceled)
		return nil
	})
}

func TestIterateUnderAnEndedContext(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sub, cancel := context.WithCancel(ctx)
		cancel()
		err := scheduler.Iterate(sub, func(func(int, int) bool) { t.Error("taken from") }, 1, func(context.Context, int, int) error { return nil })
		require.ErrorIs(t, err, context.Canceled)
		return nil
	})
}

// A panic in the sequence goes through, after the calls have ended.
func TestIterateOfASequenceThatPanics(t *testing.T) {
	for name, leave := range map[string]func(){
		"panic":  func() { panic(errStop) },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				ended := 0
				c := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
					seq := func(yield func(int, int) bool) {
						yield(0, 0)
						yield(1, 1)
						leave()
					}
					return 0, scheduler.Iterate(ctx, seq, 3, func(ctx context.Context, _, _ int) error {
						defer func() { ended++ }()
						_, err := scheduler.Suspend(ctx)
						_ = scheduler.Yield(context.WithoutCancel(ctx))
						return err
					})
				})
				_, err := c.Await(ctx)
				require.Error(t, err)
				require.Equal(t, name == "panic", errors.Is(err, errStop))
				require.Equal(t, name == "goexit", errors.Is(err, scheduler.ErrGoexit))
				require.Equal(t, 2, ended)
				return nil
			}, scheduler.WithLogger(nil))
		})
	}
}

// What fn spawns belongs to the iteration, and may outlive it, but not its failure.
func TestIterateOwnsWhatItsCallsSpawn(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		open, release := scheduler.NewFuture[int](ctx)
		spawned := 0
		child := func(ctx context.Context) error {
			_, err := open.Await(ctx)
			scheduler.Go(ctx, func(context.Context) error { spawned++; return nil }) // its scope is still there
			return err
		}
		require.NoError(t, scheduler.Iterate(ctx, count(3), 2, func(ctx context.Context, _, _ int) error {
			scheduler.Go(ctx, child)
			return nil
		}))
		outer := scheduler.Current(ctx).Scope()
		require.Len(t, outer.Children(), 1)
		require.NoError(t, release.Complete(0))
		for len(outer.Children()) > 0 {
			require.NoError(t, scheduler.Yield(ctx))
		}
		require.Equal(t, 3, spawned)

		var c *scheduler.Coroutine
		require.Equal(t, errStop, scheduler.Iterate(ctx, count(1), 2, func(ctx context.Context, _, _ int) error {
			c = scheduler.Go(ctx, scheduler.AwaitShutdown)
			_ = scheduler.Yield(ctx)
			return errStop
		}))
		require.ErrorIs(t, c.Await(ctx), errStop)
		return nil
	})
}

func TestIterateWithinIterate(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sum := 0
		return errors.Join(scheduler.Iterate(ctx, count(5), 3, func(ctx context.Context, k, _ int) error {
			return scheduler.Iterate(ctx, count(5), 2, func(ctx context.Context, _, v int) error {
				sum += k * v
				return scheduler.Yield(ctx)
			})
		}), func() error { require.Equal(t, 100, sum); return nil }())
	})
}

func TestIterateInAScopeThatIsClosed(t *testing.T) {
	run(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			calls := 0
			err := scheduler.Iterate(ctx, count(3), 1, func(ctx context.Context, _, _ int) error {
				sc.Close() // what runs runs on
				calls++
				return scheduler.Yield(ctx)
			})
			require.NoError(t, err)
			require.Equal(t, 3, calls)
			return scheduler.Iterate(ctx, count(3), 1, func(context.Context, int, int) error { return nil })
		}, scheduler.In(sc))
		require.ErrorIs(t, c.Await(ctx), scheduler.ErrScopeClosed)
		return nil
	})
}

// The scope of the coroutine that iterates is cancelled: everything ends, and the
// cancellation comes out.
func TestIterateIsCancelledWithItsScope(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		sc := scheduler.NewScope(ctx)
		ended := 0
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			return scheduler.Iterate(ctx, count(9), 3, func(ctx context.Context, _, _ int) error {
				defer func() { ended++ }()
				_, err := scheduler.Suspend(ctx)
				return err
			})
		}, scheduler.In(sc))
		for range 9 {
			require.NoError(t, scheduler.Yield(ctx))
		}
		sc.Cancel(errStop)
		require.ErrorIs(t, c.Await(ctx), errStop)
		require.True(t, c.Cancelled())
		require.Equal(t, 3, ended)
		return nil
	})
}

// A deadlock within an iteration is reported, and everybody's defers run.
func TestIterateInADeadlock(t *testing.T) {
	clean(t)
	ended := 0
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		return scheduler.Iterate(ctx, count(9), 3, func(ctx context.Context, _, _ int) error {
			defer func() { ended++ }()
			_, err := scheduler.Suspend(ctx)
			return err
		})
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead)
	require.Len(t, dead.Coroutines, 4)
	require.Equal(t, 3, ended)
}

// In the final clean-up nobody waits for calls that will not end.
func TestIterateInTheFinalCleanUp(t *testing.T) {
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(ctx context.Context) error { return errStop })
		return scheduler.Iterate(ctx, count(9), 3, func(ctx context.Context, _, _ int) error {
			for scheduler.AwaitShutdown(ctx) != nil {
				if scheduler.AwaitShutdown(context.WithoutCancel(ctx)) == nil {
					return nil
				}
			}
			return nil
		})
	}, scheduler.WithGrace(time.Millisecond))
	require.ErrorIs(t, err, errStop)
}

func TestIterateMisuse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		fn := func(context.Context, int, int) error { return nil }
		require.Panics(t, func() { _ = scheduler.Iterate(ctx, count(1), 0, fn) })
		require.Panics(t, func() { _ = scheduler.Iterate(ctx, count(1), -1, fn) })
		require.Panics(t, func() { _ = scheduler.Iterate(ctx, nil, 1, fn) })
		require.Panics(t, func() { _ = scheduler.Iterate[int, int](ctx, count(1), 1, nil) })
		require.ErrorIs(t, scheduler.Iterate(context.Background(), count(1), 1, fn), scheduler.ErrNotCoroutine)
		return nil
	})
}

// A microtask that comes while the iteration passes on, and one that is cancelled,
// change nothing about that.
func TestFault_TA20_MicrotasksDoNotDisturbAnIteration(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		s := scheduler.Current(ctx).Scheduler()
		began, ran := 0, 0
		err := scheduler.Iterate(ctx, count(20), 4, func(ctx context.Context, _, _ int) error {
			began++
			first := newTask(func() { ran++ })
			second := newTask(func() { ran += 1000 })
			s.Microtask(first)
			s.Microtask(second)
			second.Cancel()
			return scheduler.Yield(ctx)
		})
		require.NoError(t, err)
		require.Equal(t, 20, began)
		require.Equal(t, 20, ran)
		return nil
	})
}

// An iteration over values that are there spawns no more than it must: its calls
// use one another's coroutines.
func TestIterateAllocatesNothingPerPair(t *testing.T) {
	run(t, func(ctx context.Context) error {
		total := 0
		fn := func(_ context.Context, _, v int) error { total += v; return nil }
		if s := scheduler.Current(ctx).Scheduler(); testing.AllocsPerRun(100, func() { s.OnLoop() }) > 0 {
			t.Log("not measured: package gid allocates here")
			return nil
		}
		few := testing.AllocsPerRun(20, func() { require.NoError(t, scheduler.Iterate(ctx, count(1), 4, fn)) })
		many := testing.AllocsPerRun(20, func() { require.NoError(t, scheduler.Iterate(ctx, count(1000), 4, fn)) })
		require.InDelta(t, few, many, 1)
		return nil
	})
}

func newTask(fn func()) *microtask.Task {
	return microtask.New(func() error { fn(); return nil }, nil)
}

func ExampleIterate() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		pages := slices.All([]string{"/", "/about", "/missing", "/contact", "/news"})
		err := scheduler.Iterate(ctx, pages, 2, func(ctx context.Context, i int, path string) error {
			if err := scheduler.Sleep(ctx, time.Millisecond); err != nil { // fetches it
				return err
			}
			if path == "/missing" {
				return fmt.Errorf("page %d: %s is not there", i, path)
			}
			return nil
		})
		fmt.Println(err)
		return nil
	})
	// Output: page 2: /missing is not there
}

func BenchmarkIterate(b *testing.B) {
	for name, suspend := range map[string]bool{"runs through": false, "suspends": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
				return scheduler.Iterate(ctx, count(b.N), 8, func(ctx context.Context, _, _ int) error {
					if suspend {
						return scheduler.Yield(ctx)
					}
					return nil
				})
			})
		})
	}
}
