package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
)

// settle lets every coroutine run that can.
func settle(t testing.TB, ctx context.Context) {
	t.Helper()
	for range 4 {
		require.NoError(t, scheduler.Yield(ctx))
	}
}

func TestChannelCarriesEveryValueInOrder(t *testing.T) {
	for _, capacity := range []int{0, 1, 3, 1000} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				ch := scheduler.NewChannel[int](ctx, capacity)
				require.Equal(t, capacity, ch.Cap())
				scheduler.Go(ctx, func(ctx context.Context) error {
					defer ch.Close(nil)
					for i := range 100 {
						require.NoError(t, ch.Send(ctx, i))
						require.LessOrEqual(t, ch.Len(), capacity)
						if i%7 == 0 {
							require.NoError(t, scheduler.Yield(ctx))
						}
					}
					return nil
				})
				want := 0
				for v := range ch.All(ctx) {
					require.Equal(t, want, v)
					want++
					if v%5 == 0 {
						require.NoError(t, scheduler.Yield(ctx))
					}
				}
				require.Equal(t, 100, want)
				return nil
			})
		})
	}
}

// Without a buffer a Send returns when its value has been taken, not before.
func TestChannelRendezvous(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		sent := 0
		scheduler.Go(ctx, func(ctx context.Context) error {
			for i := range 2 {
				require.NoError(t, ch.Send(ctx, i))
				sent++
			}
			return nil
		})
		settle(t, ctx)
		require.Zero(t, sent)
		require.Zero(t, ch.Len())
		for i := range 2 {
			v, err := ch.Recv(ctx)
			require.NoError(t, err)
			require.Equal(t, i, v)
			settle(t, ctx)
			require.Equal(t, i+1, sent)
		}
		return nil
	})
}

func TestChannelBufferFillsAndDrains(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 2)
		require.True(t, ch.TrySend(1))
		require.NoError(t, ch.Send(ctx, 2))
		require.False(t, ch.TrySend(3))
		require.Equal(t, 2, ch.Len())
		third := scheduler.Go(ctx, func(ctx context.Context) error { return ch.Send(ctx, 3) })
		settle(t, ctx)
		require.Equal(t, scheduler.Suspended, third.State())
		v, ok := ch.TryRecv()
		require.True(t, ok)
		require.Equal(t, 1, v)
		require.Equal(t, 2, ch.Len(), "the third has taken the place")
		require.NoError(t, third.Await(ctx))
		for want := 2; want <= 3; want++ {
			v, ok := ch.TryRecv()
			require.True(t, ok)
			require.Equal(t, want, v)
		}
		_, ok = ch.TryRecv()
		require.False(t, ok)
		return nil
	})
}

func TestChannelTrySendNeedsAReceiver(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		require.False(t, ch.TrySend(1))
		f := scheduler.Spawn(ctx, ch.Recv)
		settle(t, ctx)
		require.True(t, ch.TrySend(2))
		require.False(t, ch.TrySend(3), "the one receiver has its value")
		v, err := f.Await(ctx)
		require.Equal(t, 2, v)
		return err
	})
}

// Receivers get the values in the order in which they came, and so do senders
// their turns.
func TestChannelIsFirstComeFirstServed(t *testing.T) {
	const n = 20
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		var came []int
		got := map[int]int{}
		for i := range n {
			scheduler.Go(ctx, func(ctx context.Context) error {
				came = append(came, i)
				v, err := ch.Recv(ctx)
				got[i] = v
				return err
			})
		}
		for len(came) < n {
			require.NoError(t, scheduler.Yield(ctx))
		}
		for i := range n {
			require.True(t, ch.TrySend(i))
		}
		for len(got) < n {
			require.NoError(t, scheduler.Yield(ctx))
		}
		for i, who := range came {
			require.Equal(t, i, got[who])
		}
		came = came[:0]
		for i := range n {
			scheduler.Go(ctx, func(ctx context.Context) error {
				came = append(came, i)
				return ch.Send(ctx, i)
			})
		}
		for len(came) < n {
			require.NoError(t, scheduler.Yield(ctx))
		}
		for _, who := range came {
			v, err := ch.Recv(ctx)
			require.NoError(t, err)
			require.Equal(t, who, v)
		}
		return nil
	})
}

// receivers starts n coroutines that wait for a value each, in order; got is where
// they put it.
func receivers(t testing.TB, ctx context.Context, ch *scheduler.Channel[int], n int) (all []*scheduler.Coroutine, got map[int]int) {
	got = map[int]int{}
	for i := range n {
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			v, err := ch.Recv(ctx)
			if err == nil {
				got[i] = v
			}
			return err
		})
		for c.State() != scheduler.Suspended {
			require.NoError(t, scheduler.Yield(ctx))
		}
		all = append(all, c)
	}
	return all, got
}

// ways are those in which a wait under ctx can be cut short.
var ways = map[string]func(ctx context.Context) (context.Context, func(c *scheduler.Coroutine)){
	"bare": func(ctx context.Context) (context.Context, func(*scheduler.Coroutine)) {
		return ctx, func(c *scheduler.Coroutine) { c.Cancel(errStop) }
	},
	"derived": func(ctx context.Context) (context.Context, func(*scheduler.Coroutine)) {
		ctx, cancel := scheduler.WithTimeout(ctx, time.Hour)
		return ctx, func(*scheduler.Coroutine) { cancel() }
	},
}

// A receiver that was handed a value and is cancelled before it runs does not lose
// it: the next in line has it, or it stays first in the channel.
func TestFault_TA1_ValueOfACancelledReceiverPassesOn(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				ch := scheduler.NewChannel[int](ctx, 0)
				var end func(*scheduler.Coroutine)
				first := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
					ctx, end = way(ctx)
					me := scheduler.Current(ctx)
					cut := end
					end = func(*scheduler.Coroutine) { cut(me) }
					return ch.Recv(ctx)
				})
				for end == nil {
					require.NoError(t, scheduler.Yield(ctx))
				}
				settle(t, ctx)
				_, got := receivers(t, ctx, ch, 1)
				require.True(t, ch.TrySend(1))
				end(nil)
				_, err := first.Await(ctx)
				require.ErrorIs(t, err, context.Canceled)
				settle(t, ctx)
				require.Equal(t, map[int]int{0: 1}, got)
				return nil
			})
		})
	}
}

func TestFault_TA1_ValueOfTheOnlyReceiverStays(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		all, got := receivers(t, ctx, ch, 3)
		for i := range 3 {
			require.True(t, ch.TrySend(i))
		}
		for _, i := range []int{2, 0, 1} { // in whatever order they are cancelled
			all[i].Cancel(nil)
		}
		require.Equal(t, 3, ch.Len())
		require.False(t, ch.TrySend(3), "nothing overtakes")
		late := scheduler.Go(ctx, func(ctx context.Context) error { return ch.Send(ctx, 3) })
		settle(t, ctx)
		require.Empty(t, got)
		for want := range 4 {
			v, err := ch.Recv(ctx)
			require.NoError(t, err)
			require.Equal(t, want, v, "the values stay in order")
		}
		return late.Await(ctx)
	})
}

// A value that came back stays before those that are in the buffer.
func TestFault_TA1_ValueComesBackBeforeTheBuffer(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 2)
		all, _ := receivers(t, ctx, ch, 2)
		for i := range 4 {
			require.True(t, ch.TrySend(i))
		}
		require.False(t, ch.TrySend(4))
		all[1].Cancel(nil)
		all[0].Cancel(nil)
		require.Equal(t, 4, ch.Len())
		require.False(t, ch.TrySend(4))
		for want := range 4 {
			v, ok := ch.TryRecv()
			require.True(t, ok)
			require.Equal(t, want, v)
		}
		require.True(t, ch.TrySend(4))
		return nil
	})
}

// Nobody who comes later has what was promised to a woken one, nor its place.
func TestFault_TA2_NobodyOvertakes(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		_, got := receivers(t, ctx, ch, 1)
		require.True(t, ch.TrySend(7))
		_, ok := ch.TryRecv()
		require.False(t, ok, "it is promised")
		settle(t, ctx)
		require.Equal(t, map[int]int{0: 7}, got)
		return nil
	})
}

func TestFault_TA3_CancelledReceiverLeavesTheOrderAlone(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		all, got := receivers(t, ctx, ch, 5)
		all[2].Cancel(nil)
		for i := range 4 {
			require.True(t, ch.TrySend(i))
		}
		require.False(t, ch.TrySend(4))
		settle(t, ctx)
		require.Equal(t, map[int]int{0: 0, 1: 1, 3: 2, 4: 3}, got)
		return nil
	})
}

// A Send that was cancelled has not sent; one whose value was taken has.
func TestChannelCancelledSender(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		var senders []*scheduler.Coroutine
		for i := range 3 {
			c := scheduler.Go(ctx, func(ctx context.Context) error { return ch.Send(ctx, i) })
			for c.State() != scheduler.Suspended {
				require.NoError(t, scheduler.Yield(ctx))
			}
			senders = append(senders, c)
		}
		senders[1].Cancel(errStop)
		v, ok := ch.TryRecv()
		require.True(t, ok)
		require.Equal(t, 0, v)
		senders[0].Cancel(errStop)
		require.NoError(t, senders[0].Await(ctx), "its value was taken")
		require.ErrorIs(t, senders[1].Await(ctx), errStop)
		v, ok = ch.TryRecv()
		require.True(t, ok)
		require.Equal(t, 2, v)
		return senders[2].Await(ctx)
	})
}

// A cancellation that came too late for a Send is the next suspension's.
func TestChannelSendThatSucceededKeepsTheCancellation(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		var errs []error
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			c := scheduler.Current(ctx)
			errs = append(errs, ch.Send(ctx, 1), c.Interrupted(), ch.Send(ctx, 2))
			return nil
		})
		for c.State() != scheduler.Suspended {
			require.NoError(t, scheduler.Yield(ctx))
		}
		_, ok := ch.TryRecv()
		require.True(t, ok)
		c.Cancel(errStop)
		require.NoError(t, c.Await(ctx))
		require.NoError(t, errs[0])
		require.ErrorIs(t, errs[1], errStop)
		require.ErrorIs(t, errs[2], errStop)
		return nil
	})
}

func TestChannelUnderAnEndedContext(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 2)
		require.True(t, ch.TrySend(1))
		sub, cancel := context.WithCancelCause(ctx)
		cancel(errStop)
		require.ErrorIs(t, ch.Send(sub, 2), errStop)
		_, err := ch.Recv(sub)
		require.ErrorIs(t, err, errStop)
		require.Equal(t, 1, ch.Len(), "nothing was sent, nothing lost")
		for range ch.All(sub) {
			t.Error("received")
		}
		return nil
	})
}

func TestChannelClose(t *testing.T) {
	reasons := map[string]error{"none": nil, "reason": errStop, "itself": scheduler.ErrChannelClosed}
	for name, reason := range reasons {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				is := func(err error) {
					t.Helper()
					require.ErrorIs(t, err, scheduler.ErrChannelClosed)
					if reason != nil {
						require.ErrorIs(t, err, reason)
					}
				}
				ch := scheduler.NewChannel[int](ctx, 1)
				require.True(t, ch.TrySend(1))
				sender := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) { return 0, ch.Send(ctx, 2) })
				settle(t, ctx)
				ch.Close(reason)
				ch.Close(errors.New("a second reason"))
				require.False(t, ch.TrySend(3))
				is(ch.Send(ctx, 3))
				v, err := ch.Recv(ctx)
				require.NoError(t, err, "what is in the buffer can be received")
				require.Equal(t, 1, v)
				_, err = ch.Recv(ctx)
				is(err)
				_, ok := ch.TryRecv()
				require.False(t, ok, "a sender that waited has failed")
				_, err = sender.Await(ctx)
				is(err)

				idle := scheduler.NewChannel[int](ctx, 0)
				first, second := scheduler.Spawn(ctx, idle.Recv), scheduler.Spawn(ctx, idle.Recv)
				settle(t, ctx)
				idle.Close(reason)
				for _, f := range []*scheduler.Future[int]{first, second} {
					_, err = f.Await(ctx)
					is(err)
				}
				return nil
			})
		})
	}
}

// A value that was handed over before the Close, and comes back after it, is still
// received by one who waits.
func TestChannelCloseLosesNoPromisedValue(t *testing.T) {
	orders(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		all, got := receivers(t, ctx, ch, 2)
		require.True(t, ch.TrySend(1))
		ch.Close(nil)
		all[0].Cancel(errStop)
		require.NoError(t, all[1].Await(ctx))
		require.ErrorIs(t, all[0].Await(ctx), errStop)
		require.Equal(t, map[int]int{1: 1}, got)
		_, err := ch.Recv(ctx)
		require.ErrorIs(t, err, scheduler.ErrChannelClosed)
		return nil
	})
}

func TestChannelAllBreaksOffWithoutLoss(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 5)
		for i := range 5 {
			require.True(t, ch.TrySend(i))
		}
		ch.Close(nil)
		for v := range ch.All(ctx) {
			if v == 2 {
				break
			}
		}
		var rest []int
		for v := range ch.All(ctx) {
			rest = append(rest, v)
		}
		require.Equal(t, []int{3, 4}, rest)
		return nil
	})
}

// Values, senders and receivers come and go, some are cancelled: every value that
// was sent is received, once, and in the order of its sender.
func TestChannelLosesNothing(t *testing.T) {
	for _, capacity := range []int{0, 1, 4} {
		t.Run(fmt.Sprint(capacity), func(t *testing.T) {
			orders(t, func(ctx context.Context) error {
				const producers, each, consumers = 3, 15, 4
				ch := scheduler.NewChannel[[2]int](ctx, capacity)
				var sent, got [producers][]int
				var work scheduler.WaitGroup
				for p := range producers {
					work.Go(ctx, func(ctx context.Context) error {
						for i := range each {
							sub, cancel := scheduler.WithTimeout(ctx, time.Hour)
							if i%3 == 0 {
								c := scheduler.Go(ctx, func(context.Context) error { cancel(); return nil })
								c.Finally(func(*scheduler.Coroutine) { cancel() })
							}
							if ch.Send(sub, [2]int{p, i}) == nil {
								sent[p] = append(sent[p], i)
							}
							cancel()
						}
						return nil
					})
				}
				var taking scheduler.WaitGroup
				for c := range consumers {
					taking.Go(ctx, func(ctx context.Context) error {
						for {
							sub, cancel := scheduler.WithTimeout(ctx, time.Hour)
							if c%2 == 0 {
								scheduler.Go(ctx, func(context.Context) error { cancel(); return nil })
							}
							v, err := ch.Recv(sub)
							cancel()
							if err == nil {
								got[v[0]] = append(got[v[0]], v[1])
							} else if errors.Is(err, scheduler.ErrChannelClosed) {
								return nil
							} else {
								require.ErrorIs(t, err, context.Canceled)
							}
						}
					})
				}
				require.NoError(t, work.Wait(ctx))
				ch.Close(nil)
				require.NoError(t, taking.Wait(ctx))
				for p := range producers {
					slices.Sort(got[p]) // receivers note what they have in the order in which they run
					require.Equal(t, sent[p], got[p])
				}
				require.Zero(t, ch.Len())
				return nil
			})
		})
	}
}

func TestChannelBelongsToItsLoop(t *testing.T) {
	run(t, func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 1)
		require.ErrorIs(t, ch.Send(context.Background(), 1), scheduler.ErrNotCoroutine)
		_, err := scheduler.Offload(ctx, func(off context.Context) (int, error) {
			require.ErrorIs(t, ch.Send(off, 1), scheduler.ErrForeignGoroutine)
			_, err := ch.Recv(off)
			require.ErrorIs(t, err, scheduler.ErrForeignGoroutine)
			require.Panics(t, func() { ch.TrySend(1) })
			require.Panics(t, func() { ch.TryRecv() })
			require.Panics(t, func() { ch.Close(nil) })
			return 0, scheduler.Run(context.Background(), func(ctx context.Context) error {
				require.ErrorIs(t, ch.Send(ctx, 1), scheduler.ErrForeignGoroutine)
				return nil
			})
		}).Await(ctx)
		require.NoError(t, err)
		require.Panics(t, func() { scheduler.NewChannel[int](ctx, -1) })
		require.Panics(t, func() { scheduler.NewChannel[int](context.Background(), 1) })
		return nil
	})
}

// Waiting for a channel that nobody uses is a deadlock, and named as such.
func TestChannelInADeadlock(t *testing.T) {
	clean(t)
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 0)
		scheduler.Go(ctx, func(ctx context.Context) error { return ch.Send(ctx, 1) })
		_, err := scheduler.NewChannel[int](ctx, 0).Recv(ctx)
		return err
	})
	var dead *scheduler.DeadlockError
	require.ErrorAs(t, err, &dead)
	var waits []string
	for _, c := range dead.Coroutines {
		require.Contains(t, c.SuspendedAt, "channel_test.go:")
		waits = append(waits, c.WaitsFor...)
	}
	require.ElementsMatch(t, []string{"channel send", "channel receive"}, waits)
}

func TestChannelAllocatesNothing(t *testing.T) {
	for _, capacity := range []int{0, 8} {
		run(t, func(ctx context.Context) error {
			there, back := scheduler.NewChannel[int](ctx, capacity), scheduler.NewChannel[int](ctx, capacity)
			scheduler.Go(ctx, func(ctx context.Context) error {
				for v := range there.All(ctx) {
					if err := back.Send(ctx, v); err != nil {
						return err
					}
				}
				return nil
			})
			requireNoAllocs(t, ctx, func() {
				_ = there.Send(ctx, 1)
				_, _ = back.Recv(ctx)
			})
			there.Close(nil)
			return nil
		})
	}
}

func ExampleChannel() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		words := scheduler.NewChannel[string](ctx, 0)
		scheduler.Go(ctx, func(ctx context.Context) error {
			defer words.Close(nil)
			for _, word := range []string{"first", "come", "first", "served"} {
				if err := words.Send(ctx, word); err != nil {
					return err
				}
			}
			return nil
		})
		for word := range words.All(ctx) {
			fmt.Println(word)
		}
		_, err := words.Recv(ctx)
		fmt.Println(err)
		return nil
	})
	// Output:
	// first
	// come
	// first
	// served
	// scheduler: channel is closed
}

func ExampleChannel_TrySend() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 1)
		fmt.Println(ch.TrySend(1), ch.TrySend(2)) // there is room for one
		return nil
	})
	// Output: true false
}

func ExampleChannel_TryRecv() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		ch := scheduler.NewChannel[int](ctx, 1)
		fmt.Println(ch.TryRecv())
		ch.TrySend(42)
		fmt.Println(ch.TryRecv())
		return nil
	})
	// Output:
	// 0 false
	// 42 true
}

// What is in the buffer is still received; after that comes the reason.
func ExampleChannel_Close() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		lines := scheduler.NewChannel[string](ctx, 1)
		lines.TrySend("last line")
		lines.Close(io.ErrUnexpectedEOF)
		fmt.Println(lines.Send(ctx, "one more"))
		fmt.Println(lines.Recv(ctx))
		_, err := lines.Recv(ctx)
		fmt.Println(errors.Is(err, scheduler.ErrChannelClosed), errors.Is(err, io.ErrUnexpectedEOF))
		return nil
	})
	// Output:
	// scheduler: channel is closed: unexpected EOF
	// last line <nil>
	// true true
}

func BenchmarkChannelRendezvous(b *testing.B) {
	b.Run("scheduler", func(b *testing.B) {
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
	})
	b.Run("go", func(b *testing.B) {
		b.ReportAllocs()
		ch := make(chan int)
		go func() {
			for i := range b.N {
				ch <- i
			}
			close(ch)
		}()
		for range ch {
		}
	})
}
