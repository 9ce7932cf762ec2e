// Package taskgroup runs related tasks as one unit: every task is awaited or
// cancelled, and no error is lost.
//
// A [Group] is a set of tasks that share a scope. [Group.Spawn] adds one, which
// runs as a coroutine of the scheduler; [Group.All], [Group.Race] and [Group.Any]
// give futures of what they come to, [Group.Each] the outcomes as they come in.
// Five programs show what that is for; each is an example below, with its output.
//
// # Load several things at once
//
// Name the tasks, wait for all, and use the results by name. Where some fail, All
// fails with all their errors, each a [*TaskError] that says which task it was.
//
//	g := taskgroup.NewKeyed[string, Page](ctx)
//	defer g.Dispose()
//	for _, url := range urls {
//		g.SpawnWithKey(ctx, url, func(ctx context.Context) (Page, error) {
//			return fetch(ctx, url)
//		})
//	}
//	pages, err := g.All().Await(ctx)
//
// With [FailFast] the first failure cancels the rest.
//
// # Hedge a request
//
// Ask two servers and take the faster answer, be it an error; the other request
// is cancelled. A group made with a ctx that ends, by a timeout or otherwise, is
// cancelled with it.
//
//	ctx, cancel := scheduler.WithTimeout(ctx, time.Second)
//	defer cancel()
//	g := taskgroup.New[Page](ctx)
//	g.Spawn(ctx, fromOne)
//	g.Spawn(ctx, fromOther)
//	page, err := g.Race(taskgroup.CancelRest()).Await(ctx)
//
// # Take the first success
//
// Any passes over failures, and fails, with all of them, where no task succeeds.
// Those that it passed over are not lost all the same: whoever does not want to
// hear of them says so.
//
//	g.SuppressErrors()
//	page, err := g.Any(taskgroup.CancelRest()).Await(ctx)
//
// # Work through a list, some at a time
//
// [Concurrency] says how many tasks run at once. The others wait in a queue of a
// few dozen bytes each, without a coroutine, so that a list of a million is no
// trouble. [QueueLimit] bounds the queue too: then Spawn suspends until there is
// room, and whoever makes work is no faster than who does it. Results are in the
// order of the spawns.
//
//	g := taskgroup.New[int](ctx, taskgroup.Concurrency(50), taskgroup.QueueLimit(1000))
//	for _, item := range items {
//		if err := g.Spawn(ctx, func(ctx context.Context) (int, error) { return work(ctx, item) }); err != nil {
//			return err
//		}
//	}
//	results, err := g.All().Await(ctx)
//
// # Use results as they come
//
//	g.Seal() // no more tasks: the loop ends with the last
//	for key, r := range g.Each(ctx) {
//		if r.Err != nil { … }
//	}
//
// # What becomes of errors
//
// A task ends with a value, an error, a panic, which is the error
// *scheduler.PanicError, or a cancellation. A cancellation that the group, or
// something above it, has caused is nobody's error: where nothing else went wrong,
// All fails with a *scheduler.CancelledError that has the cause. A timeout or a
// cancellation of a task's own making is its error, as any other.
//
// An error is handled when somebody was given it: by an All, Any, Race or Each that
// was waited for, or by [Group.GetErrors]. What was passed over, by an Any that
// succeeded, by a Race that another task won, by a loop that was broken off, or by
// [IgnoreErrors], is not. What nobody has handled when the group's scope ends goes
// the way of all unhandled errors: to the handlers of the scopes above, and where
// there is none, the scheduler shuts down and Run returns it. [Group.Dispose]
// returns what is left instead. [Group.SuppressErrors] is for those who do not
// want to know.
//
// # The life of a group
//
// The group's scope is a child of the current one, or of [InScope]'s. It owns the
// tasks and all that they spawn. It does not end with the last task: the group may
// be asked as long as its parent lives, or until it is disposed. A program that
// makes groups again and again in one long-lived scope disposes of each, and
//
//	defer g.Dispose()
//
// is the way to do that, with a look at its error where errors matter.
//
// A group that lives as long as the program, as one whose tasks serve the
// connections of a listener, is made with [Discard]: it keeps nothing of tasks that
// have settled, and runs at constant memory.
//
// # For users of other libraries
//
//	What you know                        What it is here
//
//	errgroup.WithContext, g.Go, g.Wait   New with FailFast, Spawn, All().Await: with
//	                                     results, and all errors in place of the first
//	errgroup's SetLimit                  Concurrency; Spawn does not block, unless
//	                                     QueueLimit says so
//	errgroup's TryGo                     Count and IsFinished before a Spawn: nothing
//	                                     runs in between
//	conc's pool.New, WithMaxGoroutines   New, Concurrency
//	conc's ResultPool, ResultErrorPool   All: results in the order of the spawns, with
//	                                     the errors beside them
//	conc's WithCancelOnError             FailFast
//	conc's WaitGroup, panics in Wait     All: a panic is an error that has its stack
//	conc's stream                        All, or Each where any order will do
//	asyncio.TaskGroup                    New with FailFast; the block's end is
//	                                     All().Await, then Dispose
//	asyncio.gather(return_exceptions)    All, or Each
//	asyncio.wait(FIRST_COMPLETED)        Race
//	asyncio.as_completed                 Each
//	trio.open_nursery                    New with FailFast; nursery.cancel_scope.cancel
//	                                     is Cancel, move_on_after a ctx given to New
//	trio.CapacityLimiter                 Concurrency
//	trio's ExceptionGroup                *scheduler.CompositeError, also of one error
//	StructuredTaskScope.ShutdownOnFailure  FailFast and All
//	StructuredTaskScope.ShutdownOnSuccess  Any with CancelRest
//	StructuredTaskScope.joinUntil        a ctx with a deadline, given to New
//	coroutineScope { async … awaitAll }  New with FailFast, Spawn, All().Await
//	supervisorScope                      New without FailFast
//	Kotlin's select over Deferreds       Race
//
// Everything here belongs to one loop, as coroutines do: between two suspensions
// nothing else runs, and no lock is needed. Results may be read, and futures
// awaited, anywhere.
package taskgroup
