package taskgroup_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// Faults that other libraries have had, each with what must hold here instead. Of
// those about groups there is no test for EG-4: the limit is fixed when a group is
// made.

// waitingProducers has a group with one slot and room for one in its queue, both
// taken, and n Spawns of the keys from 10 on that wait, in that order.
func waitingProducers(t *testing.T, ctx context.Context, n int) (*intGroup, gate, []*scheduler.Future[int]) {
	g := taskgroup.New[int](ctx, taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
	gate := newGate(ctx)
	require.NoError(t, g.SpawnWithKey(ctx, 0, gate.task(0)))
	require.NoError(t, g.SpawnWithKey(ctx, 1, gate.task(1)))
	var mk []func() *scheduler.Future[int]
	for i := range n {
		mk = append(mk, func() *scheduler.Future[int] { return produce(ctx, g, 10+i, gate.task(10+i)) })
	}
	return g, gate, queueUp(t, ctx, mk...)
}

// drain opens the gate until the group has nothing left, and returns the keys in
// the order of their spawns.
func drain(t *testing.T, ctx context.Context, g *intGroup, gate gate) []int {
	for !g.IsFinished() {
		gate.ch.TrySend(struct{}{})
		settle(ctx, 1)
	}
	results, err := g.All().Await(ctx)
	require.NoError(t, err)
	return results.Keys()
}

func TestFault_TA1_RoomPromisedToAProducerThatIsCancelledIsNotLost(t *testing.T) {
	for _, cancelFirst := range []bool{true, false} {
		orders(t, func(ctx context.Context) {
			g, gate, fs := waitingProducers(t, ctx, 3)
			make := func() { gate.ch.TrySend(struct{}{}) }
			if cancelFirst {
				fs[0].Cancel(errBoom) // woken, and not run yet, as the room comes
				make()
			} else {
				make()
				for g.Count() < 3 { // its task is taken
					settle(ctx, 1)
				}
				fs[0].Cancel(errBoom)
			}
			keys := drain(t, ctx, g, gate)
			if cancelFirst {
				require.ErrorIs(t, mustFail(fs[0].Await(ctx)), errBoom)
				require.Equal(t, []int{0, 1, 11, 12}, keys)
			} else {
				require.Equal(t, []int{0, 1, 10, 11, 12}, keys)
			}
			for _, f := range fs[1:] {
				require.NoError(t, mustFail(f.Await(ctx)))
			}
		})
	}
}

// The slot of a task that ends is handed to the next one, which is cancelled, with
// the group, before it runs: nobody waits for it.
func TestFault_TA1_ASlotHandedToATaskThatIsCancelledBeforeItRunsIsNotWaitedFor(t *testing.T) {
	for _, posted := range []bool{false, true} {
		orders(t, func(ctx context.Context) {
			s := scheduler.Current(ctx).Scheduler()
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
			ran := 0
			for i := range 4 {
				require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
					ran++
					return i, nil
				}))
			}
			g.Race().Subscribe(func(error) { // as the slot is free
				if !posted {
					g.Cancel(errBoom)
					return
				}
				require.NoError(t, s.Post(func() { g.Cancel(errBoom) })) // as it has been given
			})
			results, err := g.All().Await(ctx)
			require.Equal(t, ran, results.Len())
			require.Equal(t, 4, g.Count())
			if ran < 4 {
				require.ErrorIs(t, err, errBoom)
			}
			if !posted {
				require.Equal(t, 1, ran)
			}
		})
	}
}

func TestFault_TA2_ANewcomerDoesNotOvertake(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g, gate, _ := waitingProducers(t, ctx, 2)
		newcomer := produce(ctx, g, 99, value(99))
		gate.open(ctx)
		require.Equal(t, []int{0, 1, 10, 11, 99}, drain(t, ctx, g, gate))
		require.NoError(t, mustFail(newcomer.Await(ctx)))
	})
}

// A task that spawns its own successor does not keep its slot from those in line.
func TestFault_TA2_ATaskThatSpawnsAgainAndAgainStarvesNobody(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(1))
		turns, other := 0, 0
		var again func(context.Context) (int, error)
		again = func(ctx context.Context) (int, error) {
			if turns++; other == 0 {
				require.NoError(t, g.Spawn(ctx, again))
			}
			return turns, nil
		}
		require.NoError(t, g.Spawn(ctx, again))
		require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
			other = turns
			return 0, nil
		}))
		for !g.IsFinished() {
			settle(ctx, 1)
		}
		require.Equal(t, 1, other)
	})
}

func TestFault_TA3_CancellingAWaiterInTheMiddleKeepsTheOrder(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g, gate, fs := waitingProducers(t, ctx, 5)
		fs[2].Cancel(nil)
		require.Equal(t, []int{0, 1, 10, 11, 13, 14}, drain(t, ctx, g, gate))
	})
}

func TestFault_TA7_WaitsOverSettledTasksCountThem(t *testing.T) {
	for settled := range 4 {
		orders(t, func(ctx context.Context) {
			g := taskgroup.New[int](ctx)
			gate := newGate(ctx)
			for i := range 3 {
				task := gate.task(i)
				if i < settled {
					task = value(i)
				}
				require.NoError(t, g.Spawn(ctx, task))
			}
			settle(ctx, 4)
			all, race, anyOf := g.All(), g.Race(), g.Any()
			require.Equal(t, settled == 3, all.Done())
			require.Equal(t, settled > 0, race.Done())
			require.Equal(t, settled > 0, anyOf.Done())
			for range 3 - settled {
				gate.open(ctx)
			}
			results, err := all.Await(ctx)
			require.NoError(t, err)
			require.Equal(t, []int{0, 1, 2}, results.Values())
			require.NoError(t, mustFail(race.Await(ctx)))
			require.NoError(t, mustFail(anyOf.Await(ctx)))
		})
	}
}

func TestFault_TA8_AFailureIsObservedOnceOrReportedOnce(t *testing.T) {
	for _, late := range []bool{false, true} {
		orders(t, func(ctx context.Context) {
			parent := scheduler.NewScope(ctx)
			reports := 0
			parent.OnChildError(func(*scheduler.Scope, *scheduler.Coroutine, error) { reports++ })
			g := taskgroup.New[int](ctx, taskgroup.InScope(parent))
			require.NoError(t, g.Spawn(ctx, failing(errBoom)))
			all := g.All()
			settle(ctx, 3)
			if !late {
				require.ErrorIs(t, mustFail(all.Await(ctx)), errBoom)
			}
			parent.Close()
			require.ErrorIs(t, mustFail(all.Await(ctx)), errBoom, "a late look still tells")
			_ = g.Dispose()
			if late {
				require.Equal(t, 1, reports)
			} else {
				require.Zero(t, reports)
			}
		})
	}
}

func TestFault_TA15_TheLimitIsExact(t *testing.T) {
	for name, spawn := range map[string]func(ctx context.Context, g *intGroup, task func(context.Context) (int, error)){
		"from outside": func(ctx context.Context, g *intGroup, task func(context.Context) (int, error)) {
			for range 30 {
				_ = g.Spawn(ctx, task)
			}
		},
		"from a task, which has a slot": func(ctx context.Context, g *intGroup, task func(context.Context) (int, error)) {
			_ = g.Spawn(ctx, func(ctx context.Context) (int, error) {
				for range 29 {
					_ = g.Spawn(ctx, task)
				}
				return task(ctx)
			})
		},
		"a few at a time": func(ctx context.Context, g *intGroup, task func(context.Context) (int, error)) {
			for i := range 30 {
				_ = g.Spawn(ctx, task)
				settle(ctx, i%3)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			orders(t, func(ctx context.Context) {
				g := taskgroup.New[int](ctx, taskgroup.Concurrency(4))
				running, peak := 0, 0
				spawn(ctx, g, func(ctx context.Context) (int, error) {
					running++
					defer func() { running-- }()
					peak = max(peak, running)
					return after(8, value(1))(ctx)
				})
				for !g.IsFinished() {
					settle(ctx, 1)
				}
				require.Equal(t, 4, peak)
				require.Equal(t, 30, g.GetResults().Len(), "none was cancelled")
			})
		})
	}
}

func TestFault_CO1_TheOnlyCancellerMaySpawnIntoAFullGroup(t *testing.T) {
	orders(t, func(ctx context.Context) {
		ctx, cancel := scheduler.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		g := taskgroup.New[int](context.WithoutCancel(ctx), taskgroup.Concurrency(1), taskgroup.QueueLimit(1))
		require.NoError(t, g.Spawn(ctx, parked))
		require.NoError(t, g.Spawn(ctx, parked))
		require.ErrorIs(t, g.Spawn(ctx, parked), context.DeadlineExceeded)
		g.Cancel(nil)
	})
}

func TestFault_CO2_APanicIsAFailureForEveryPolicy(t *testing.T) {
	bad := func(context.Context) (int, error) { panic(errBoom) }
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.FailFast())
		require.NoError(t, g.Spawn(ctx, bad))
		require.NoError(t, g.Spawn(ctx, parked))
		require.ErrorIs(t, mustFail(g.All().Await(ctx)), errBoom)
		require.ErrorIs(t, mustFail(g.Any().Await(ctx)), errBoom)

		g = taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, bad))
		require.ErrorIs(t, mustFail(g.Race().Await(ctx)), errBoom)
	})
}

// CO-4: options are given to New alone; there is nothing to configure in a loop.
func TestFault_CO4_AnOptionOfAWaitConcernsThatWaitAlone(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, failing(errBoom)))
		require.NoError(t, mustFail(g.All(taskgroup.IgnoreErrors()).Await(ctx)))
		require.ErrorIs(t, mustFail(g.All().Await(ctx)), errBoom)
	})
}

func TestFault_CO5_ANilTaskOrHookIsRejectedAtTheCall(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.Panics(t, func() { _ = g.Spawn(ctx, nil) })
		require.Panics(t, func() { _ = g.SpawnWithKey(ctx, 1, nil) })
		require.Panics(t, func() { g.Finally(nil) })
		require.Zero(t, g.Count())
	})
}

func TestFault_CO6_TheRootCauseIsRecordedBeforeAnybodyIsCancelled(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.FailFast())
		for range 3 {
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				_, err := parked(ctx)
				return 0, err
			}))
		}
		require.NoError(t, g.Spawn(ctx, after(2, failing(errBoom))))
		race := g.Race()
		_, errs := failures[int](t, mustFail(g.All().Await(ctx)))
		require.Equal(t, []error{errBoom}, errs)
		require.ErrorIs(t, mustFail(race.Await(ctx)), errBoom)
	})
}

// A sibling that fails of its cancellation, with an error of its own, is listed
// after the cause where it was spawned after it.
func TestFault_CO6_SiblingsThatFailMeanwhileAreListedAsWell(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.FailFast())
		require.NoError(t, g.Spawn(ctx, after(2, failing(errBoom))))
		started := false
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			started = true
			_, _ = parked(ctx)
			return 0, fmt.Errorf("%w, giving up", errBang)
		}))
		_, errs := failures[int](t, mustFail(g.All().Await(ctx)))
		require.Same(t, errBoom, errs[0])
		if started {
			require.Len(t, errs, 2)
			require.ErrorIs(t, errs[1], errBang)
		}
	})
}

func TestFault_CO7_ResultsAreInTheOrderOfSpawns(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(5))
		var want []int
		for i := range 40 {
			want = append(want, i)
			require.NoError(t, g.Spawn(ctx, after((i*7)%5, value(i))))
		}
		results, err := g.All().Await(ctx)
		require.NoError(t, err)
		require.Equal(t, want, results.Values())
	})
}

func TestFault_PO2_NoBodyStartsAfterCancel(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3))
		over := false
		for range 30 {
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				require.False(t, over)
				return after(2, value(1))(ctx)
			}))
		}
		settle(ctx, 3)
		over = true
		g.Cancel(nil)
		require.ErrorIs(t, mustFail(g.All().Await(ctx)), context.Canceled)
	})
}

// A panic is logged when it happens, reaches who waits with the stack on which it
// happened, and is reported where nobody does.
func TestFault_EG1_APanicIsNeverSilent(t *testing.T) {
	bad := func(context.Context) (int, error) { panic("here") }
	ends(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, bad))
	}, func(err error) {
		var p *scheduler.PanicError
		require.ErrorAs(t, err, &p)
		require.Contains(t, string(p.Stack), "TestFault_EG1")
	})
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, bad))
		var p *scheduler.PanicError
		require.ErrorAs(t, mustFail(g.All().Await(ctx)), &p)
		require.Equal(t, "here", p.Value)
		require.Contains(t, string(p.Stack), "TestFault_EG1")
	})
}

// The error that ended the rest is given, and not a cancellation that it led to.
func TestFault_EG2_TheRealErrorIsGiven(t *testing.T) {
	orders(t, func(ctx context.Context) {
		sem := scheduler.NewSemaphore(1)
		g := taskgroup.New[int](ctx, taskgroup.FailFast())
		for range 4 {
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				if err := sem.Acquire(ctx, 1); err != nil {
					return 0, err
				}
				return 0, errBoom
			}))
		}
		_, errs := failures[int](t, mustFail(g.All().Await(ctx)))
		for _, err := range errs {
			require.Same(t, errBoom, err)
		}
	})
}

func TestFault_EG3_TheCompositeCarriesAllErrors(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3))
		for i := range 10 {
			require.NoError(t, g.Spawn(ctx, after(i%3, failing(fmt.Errorf("error %d", i)))))
		}
		keys, errs := failures[int](t, mustFail(g.All().Await(ctx)))
		require.Len(t, keys, 10)
		for i, err := range errs {
			require.EqualError(t, err, fmt.Sprint("error ", i))
		}
	})
}

func TestFault_EG5_ACancelledFrontWaiterDoesNotHoldUpTheRest(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g, gate, fs := waitingProducers(t, ctx, 4)
		fs[0].Cancel(nil)
		fs[1].Cancel(nil)
		gate.open(ctx)
		require.NoError(t, mustFail(fs[2].Await(ctx)))
		require.Equal(t, []int{0, 1, 12, 13}, drain(t, ctx, g, gate))
	})
}

func TestFault_TR3_OneErrorGivesTheSameCompositeAsTwoAndCancellationsAreNoErrors(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for n := range 3 {
			g := taskgroup.New[int](ctx)
			for range n {
				require.NoError(t, g.Spawn(ctx, failing(errBoom)))
			}
			_, err := g.Race().Await(ctx)
			if n == 0 {
				require.ErrorIs(t, err, taskgroup.ErrNoTasks)
			}
			require.NoError(t, g.Spawn(ctx, parked))
			settle(ctx, 2)
			g.Cancel(errBang)
			_, err = g.All().Await(ctx)
			if n == 0 {
				require.ErrorIs(t, err, context.Canceled)
				continue
			}
			_, errs := failures[int](t, err)
			require.Len(t, errs, n)
		}
	})
}

// Nobody was cancelled: nobody is told of a cancellation.
func TestFault_TR3_NoCancellationIsMadeUp(t *testing.T) {
	orders(t, func(ctx context.Context) {
		outer := taskgroup.New[int](ctx)
		require.NoError(t, outer.Spawn(ctx, func(ctx context.Context) (int, error) {
			inner := taskgroup.New[int](ctx, taskgroup.FailFast())
			require.NoError(t, inner.Spawn(ctx, failing(errBoom)))
			require.NoError(t, inner.Spawn(ctx, parked))
			require.ErrorIs(t, mustFail(inner.All().Await(ctx)), errBoom)
			require.NoError(t, ctx.Err())
			return 1, scheduler.Yield(ctx)
		}))
		_, err := outer.All().Await(ctx)
		require.NoError(t, err)
	})
}

func TestFault_TR4_ATaskCanTellWhoCancelledItAndWhy(t *testing.T) {
	orders(t, func(ctx context.Context) {
		cause := func(end func(g *intGroup), opts ...taskgroup.Option) (cause error) {
			g := taskgroup.New[int](ctx, opts...)
			started := false
			require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
				started = true
				_, err := parked(ctx)
				cause = context.Cause(ctx)
				return 0, err
			}))
			for !started {
				settle(ctx, 1)
			}
			end(g)
			_ = mustFail(g.All().Await(ctx))
			return cause
		}
		require.Same(t, errBoom, cause(func(g *intGroup) { g.Cancel(errBoom) }), "explicit")
		sibling := cause(func(g *intGroup) { require.NoError(t, g.Spawn(ctx, failing(errBoom))) }, taskgroup.FailFast())
		var te *taskgroup.TaskError[int]
		require.ErrorAs(t, sibling, &te)
		require.Equal(t, 1, te.Key)
		winner := cause(func(g *intGroup) {
			require.NoError(t, g.Spawn(ctx, value(1)))
			require.NoError(t, mustFail(g.Race(taskgroup.CancelRest()).Await(ctx)))
		})
		require.ErrorContains(t, winner, "another task was first")
		disposed := cause(func(g *intGroup) { require.NoError(t, g.Dispose()) })
		require.ErrorContains(t, disposed, "disposed")
	})
}

// Groups are no blocks: any coroutine of the loop may close one, in any order. It
// is off the loop that there is nothing but a clear refusal.
func TestFault_TR6_GroupsMayBeClosedInAnyOrderByAnybodyOfTheLoop(t *testing.T) {
	orders(t, func(ctx context.Context) {
		outer := taskgroup.New[int](ctx)
		inner := taskgroup.New[int](ctx, taskgroup.InScope(outer.Scope()))
		require.NoError(t, inner.Spawn(ctx, parked))
		require.NoError(t, outer.Spawn(ctx, parked))
		require.NoError(t, scheduler.Go(ctx, func(context.Context) error { return outer.Dispose() }).Await(ctx))
		require.ErrorIs(t, mustFail(inner.All().Await(ctx)), context.Canceled)
		require.ErrorIs(t, mustFail(outer.All().Await(ctx)), context.Canceled)
		require.NoError(t, inner.Dispose())
		_, err := scheduler.Offload(ctx, func(context.Context) (v int, err error) {
			defer func() { err, _ = recover().(error) }()
			return 0, outer.Dispose()
		}).Await(ctx)
		require.ErrorIs(t, err, scheduler.ErrForeignGoroutine)
	})
}

func TestFault_PY4_ASpawnThatReturnsNilIsFollowedByAnOutcome(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(2), taskgroup.FailFast())
		accepted := 0
		for i := range 30 {
			task := value(i)
			if i == 10 {
				task = failing(errBoom)
			}
			if err := g.Spawn(ctx, task); err == nil {
				accepted++
			} else {
				require.ErrorIs(t, err, taskgroup.ErrSealed)
			}
			settle(ctx, i%2)
		}
		_ = mustFail(g.All().Await(ctx))
		outcomes := 0
		for range g.Each(ctx) {
			outcomes++
		}
		require.Equal(t, accepted, outcomes)
		require.Equal(t, accepted, g.Count())
	})
}

func TestFault_PY6_TasksThatNobodyRefersToSurviveTheCollector(t *testing.T) {
	orders(t, func(ctx context.Context) {
		ran := 0
		func() {
			g := taskgroup.New[int](ctx, taskgroup.Concurrency(2))
			for range 10 {
				_ = g.Spawn(ctx, func(ctx context.Context) (int, error) {
					settle(ctx, 1)
					ran++
					return 1, nil
				})
			}
		}()
		runtime.GC()
		for ran < 10 {
			settle(ctx, 1)
		}
	})
}

// PY-7: a group can be ended early without an exception made for the purpose.
func TestFault_PY7_AGroupCanBeEndedEarly(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, parked))
		require.NoError(t, g.Spawn(ctx, value(1)))
		require.NoError(t, mustFail(g.Race().Await(ctx)))
		g.Cancel(nil)
		require.NoError(t, g.AwaitCompletion(ctx))
		require.Equal(t, []int{1}, g.GetResults().Values())
	})
}

// custom is a cause that matches context.Canceled by itself.
type custom struct{ error }

func (custom) Is(target error) bool { return target == context.Canceled }

func TestFault_PY8_CancellationsOfAnyKindAreRecognised(t *testing.T) {
	orders(t, func(ctx context.Context) {
		for _, cause := range []error{custom{errBoom}, fmt.Errorf("stop: %w", context.Canceled), context.Canceled, nil} {
			for _, give := range []func(error) error{
				func(err error) error { return err },
				func(err error) error { return fmt.Errorf("task: %w", err) },
				func(error) error { return custom{errBang} },
			} {
				g := taskgroup.New[int](ctx)
				started := false
				require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
					started = true
					_, err := parked(ctx)
					return 0, give(err)
				}))
				for !started {
					settle(ctx, 1)
				}
				g.Cancel(cause)
				var e *scheduler.CancelledError
				require.ErrorAs(t, mustFail(g.All().Await(ctx)), &e)
				require.Empty(t, g.GetErrors())
			}
		}
	})
}

func TestFault_KT1_ATimeoutInsideATaskIsThatTasksError(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx, taskgroup.FailFast())
		require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
			ctx, cancel := scheduler.WithTimeout(ctx, time.Nanosecond)
			defer cancel()
			return parked(ctx)
		}))
		require.NoError(t, g.Spawn(ctx, parked))
		keys, errs := failures[int](t, mustFail(g.All().Await(ctx)))
		require.Equal(t, []int{0}, keys)
		require.ErrorIs(t, errs[0], context.DeadlineExceeded)
		var timeout interface{ Timeout() bool }
		require.ErrorAs(t, errs[0], &timeout)
		require.True(t, timeout.Timeout())
	})
}

func TestFault_KT3_ATaskThatIsCancelledBeforeItStartsNeverDoesAndItsWaitersAreTold(t *testing.T) {
	orders(t, func(ctx context.Context) {
		g := taskgroup.New[int](ctx)
		require.NoError(t, g.Spawn(ctx, func(context.Context) (int, error) {
			t.Error("it ran")
			return 0, nil
		}))
		all, race, anyOf := g.All(), g.Race(), g.Any()
		g.Cancel(errBoom)
		for _, err := range []error{mustFail(all.Await(ctx)), mustFail(race.Await(ctx)), mustFail(anyOf.Await(ctx))} {
			require.ErrorIs(t, err, errBoom)
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

func TestFault_TK1_TenThousandTasksAwaitedByOneEndAndLetOthersRun(t *testing.T) {
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		turns := 0
		other := scheduler.Go(ctx, func(ctx context.Context) error {
			for {
				turns++
				if err := scheduler.Yield(ctx); err != nil {
					return nil
				}
			}
		})
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(100))
		for i := range 10_000 {
			require.NoError(t, g.Spawn(ctx, value(i)))
		}
		_, err := g.All().Await(ctx)
		require.GreaterOrEqual(t, turns, 50)
		other.Cancel(nil)
		return err
	}))
}

func TestFault_TM1_AShutdownUnwindsEveryTaskAndSettlesTheRest(t *testing.T) {
	clean(t)
	for range 5 {
		unwound, finally := 0, 0
		var g *intGroup
		err := scheduler.Run(context.Background(), func(ctx context.Context) error {
			g = taskgroup.New[int](ctx, taskgroup.Concurrency(5))
			g.Finally(func(*intGroup) { finally++ })
			for range 20 {
				require.NoError(t, g.Spawn(ctx, func(ctx context.Context) (int, error) {
					defer func() { unwound++ }()
					return parked(ctx)
				}))
			}
			settle(ctx, 2)
			scheduler.Current(ctx).Scheduler().Shutdown(nil)
			return scheduler.AwaitShutdown(ctx)
		})
		require.NoError(t, err)
		require.Equal(t, 5, unwound)
		require.True(t, g.IsFinished())
		require.Equal(t, 1, finally)
	}
}

// A loop that accepts for ever spawns a task for each connection: nothing of those
// that have ended is kept.
func TestFault_SW1_AMillionTasksInAGroupThatDiscardsTakeConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a million tasks")
	}
	clean(t)
	require.NoError(t, scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[[]byte](ctx, taskgroup.Discard(), taskgroup.Concurrency(20), taskgroup.QueueLimit(20))
		serve := func(ctx context.Context) ([]byte, error) {
			return make([]byte, 64), scheduler.Yield(ctx)
		}
		accept := func(n int) {
			for range n {
				if err := g.Spawn(ctx, serve); err != nil {
					t.Fatal(err)
				}
			}
		}
		accept(10_000)
		before := heap()
		accept(million)
		require.Less(t, int64(heap())-int64(before), int64(256<<10), "bytes, after a million")
		return mustFail(g.All().Await(ctx))
	}))
}
