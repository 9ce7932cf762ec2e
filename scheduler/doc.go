// Package scheduler runs coroutines: stackful, one at a time, on one event loop.
//
//	err := scheduler.Run(ctx, func(ctx context.Context) error {
//		user := scheduler.Spawn(ctx, loadUser)
//		cart := scheduler.Spawn(ctx, loadCart)
//		u, err := user.Await(ctx)
//		if err != nil {
//			return err
//		}
//		c, err := cart.Await(ctx)
//		if err != nil {
//			return err
//		}
//		return render(u, c)
//	})
//
// # The model
//
// A [Scheduler] is one loop. Its coroutines run one at a time: between two points
// at which one of them may suspend nothing else runs, so what they share needs no
// lock. That is the bargain: one core for one loop, and no data races on it.
// Programs that need more cores run several loops; see [RunShards].
//
// A [Coroutine] has a stack of its own, so any function at any depth may suspend.
// The sign of one that may is that it takes a ctx first. What takes none never
// suspends. (The methods of net.Conn and its like in package aio are the
// exception that their interfaces force.)
//
// A coroutine is a context.Context, and it is the one that its body receives. It
// ends when the coroutine is cancelled. Everything that understands contexts
// understands coroutines; contexts derived from it, by this package or by package
// context, work wherever a ctx is asked for.
//
// # Suspending
//
// [Suspend] parks the coroutine until one of the events that it is given fires.
// Everything else is made of it: [Sleep], [Future.Await], channels, locks. What
// is there already is taken without suspending. A coroutine that suspends runs
// one tick of the loop on its own stack (microtasks, a look at the reactor now and
// then, the next coroutine of the run queue) and switches straight to the next:
// one switch, or none where it is ready again itself. [Yield] lets the others run
// first.
//
// # Order
//
// The run queue is first in, first out: what is spawned or woken first runs first,
// and a program that nothing outside disturbs runs in the same order every time.
// [HighPriority] puts a coroutine at the head, within a budget. [WithSeed] permutes
// the order, round by round and reproducibly, to find what depends on it by
// accident; package schedtest does so for tests, on virtual time.
//
// # Hooks
//
// A [SwitchHandler] is called when its coroutine gets control, gives it up, and
// ends; [OnMainStart] registers one for every main coroutine to come. A microtask,
// see [Scheduler.Microtask] and [Scheduler.Post], is a callback that runs between
// two coroutines, on the stack of the one that gives way. Neither may suspend.
//
// # Cancellation
//
// [Coroutine.Cancel] asks a coroutine to end; the end of its scope, of a ctx that
// it was spawned with, or of the scheduler does so too. Its ctx ends, the
// suspension it is in returns a [*CancelledError], and whatever takes that ctx
// fails at once from then on. It goes on until it returns: clean-up that must
// suspend uses context.WithoutCancel(ctx), or [Protect], which also keeps a
// cancellation out while something is done that must not be left half done.
//
// A timeout is no cancellation. Under a ctx of [WithTimeout] a suspension fails
// with a [*TimeoutError], which is an error like any other.
//
// # Failures
//
// A body ends with a value, an error, a panic, which becomes a [*PanicError], or
// a cancellation, and the four are always told apart. No failure is lost, and
// none is reported twice. That of [Go] goes at once to whoever waits, else to the
// error handlers of its scope and of those above; where nobody takes it, the
// scheduler shuts down and [Run] returns it. That of [Spawn] is kept in the
// future, and returned by Run where nobody has looked at it by the time its scope
// ends.
//
// # Scopes
//
// A [Scope] owns coroutines and further scopes. Cancelling or disposing it ends
// all of them, children first; waiting for it waits for all of them. A coroutine
// is spawned into the scope of the ctx that it is spawned with, and outlives the
// coroutine that spawned it, but not its scope. [Iterate] runs a function for each
// pair of a sequence in a number of coroutines; for tasks with keys, limits and
// results there is package taskgroup.
//
// # The end
//
// Run returns when main and all the coroutines that it left behind have ended,
// and leaves no goroutine, timer or descriptor. Where coroutines are left and
// nothing can ever wake them it reports a [*DeadlockError] that says where each
// was spawned, where it is suspended and what it waits for. [Scheduler.Shutdown],
// the end of Run's ctx, or an unhandled failure cancels everything; what has not
// ended after [WithGrace] is unwound with its defers run.
//
// # Other goroutines
//
// A coroutine's ctx must be used on that coroutine alone. What suspends and is
// called from another goroutine returns [ErrForeignGoroutine] and does no harm.
// Other goroutines talk to a loop through [Submit], [Scheduler.Post], and
// futures, which may be settled and awaited from anywhere.
//
// # Building upon it
//
// What packages aio and taskgroup are made of is there for others. A method that has
// no ctx, as those of net.Conn, waits by [Coroutine.Wait] and begins with
// [Coroutine.Interrupted]; what often completes at once calls [Coroutine.Spend] and
// [Coroutine.YieldIfSpent], so that it does not hold the loop. A pool of tasks is made
// of [Runner], [Job] and [Origin], in a scope that is [Lasting]; [NewDetached] and
// [Resolver.Settle] are for results that it hands out, [Scope.Report] for failures
// that nobody has taken, [AfterEnd] and [Scope.OnStop] tell it of ends.
// [Scheduler.Reactor] is where events come from. Most programs need none of this.
//
// # Limits
//
// A coroutine that blocks in ordinary Go calls (a mutex, a Go channel,
// time.Sleep, the net package, a system call) or computes for long holds the whole
// loop. [Offload] runs such a call on a goroutine; package aio has connections,
// files and processes that suspend instead; [WithWatchdog] names the culprit.
//
// A coroutine must not call runtime.LockOSThread and then suspend, nor suspend
// within a callback from C: the runtime would end the program. Run itself may be
// called on a locked thread.
package scheduler
