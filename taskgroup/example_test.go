package taskgroup_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

// fetch stands for a request that takes a while.
func fetch(ctx context.Context, what string, takes time.Duration) (string, error) {
	if err := scheduler.Sleep(ctx, takes); err != nil {
		return "", err
	}
	if what == "" {
		return "", errors.New("not found")
	}
	return "page of " + what, nil
}

// Load several things at once, each under a name.
func Example_parallelLoad() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.NewKeyed[string, string](ctx)
		for i, name := range []string{"user", "orders", "mail"} {
			err := g.SpawnWithKey(ctx, name, func(ctx context.Context) (string, error) {
				return fetch(ctx, name, time.Duration(3-i)*time.Millisecond)
			})
			if err != nil {
				return err
			}
		}
		pages, err := g.All().Await(ctx)
		if err != nil {
			return err
		}
		for name, page := range pages.All() {
			fmt.Println(name+":", page)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// user: page of user
	// orders: page of orders
	// mail: page of mail
	// <nil>
}

// Ask two servers, take the faster answer, cancel the other request.
func Example_hedgedRequest() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		ctx, cancel := scheduler.WithTimeout(ctx, time.Minute)
		defer cancel()
		g := taskgroup.New[string](ctx)
		ask := func(server string, takes time.Duration) error {
			return g.Spawn(ctx, func(ctx context.Context) (string, error) {
				page, err := fetch(ctx, server, takes)
				if errors.Is(err, context.Canceled) {
					fmt.Println(server, "was cancelled")
				}
				return page, err
			})
		}
		if err := errors.Join(ask("the slow server", time.Hour), ask("the fast server", time.Millisecond)); err != nil {
			return err
		}
		page, err := g.Race(taskgroup.CancelRest()).Await(ctx)
		fmt.Println(page)
		return err
	})
	fmt.Println(err)
	// Output:
	// page of the fast server
	// the slow server was cancelled
	// <nil>
}

// Pass over failures; where all fail, every error is there.
func Example_firstSuccess() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		first := func(names ...string) (string, error) {
			g := taskgroup.New[string](ctx)
			g.SuppressErrors() // those that are passed over
			for i, name := range names {
				err := g.Spawn(ctx, func(ctx context.Context) (string, error) {
					return fetch(ctx, name, time.Duration(i)*time.Millisecond)
				})
				if err != nil {
					return "", err
				}
			}
			return g.Any(taskgroup.CancelRest()).Await(ctx)
		}
		page, err := first("", "", "mirror")
		fmt.Println(page, err)
		_, err = first("", "")
		var all *scheduler.CompositeError
		if errors.As(err, &all) {
			for _, err := range all.Errs {
				fmt.Println(err)
			}
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// page of mirror <nil>
	// taskgroup: task 0: not found
	// taskgroup: task 1: not found
	// <nil>
}

// Work through a list, at most 3 at a time, with no more than 5 waiting.
func Example_boundedWorkList() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx, taskgroup.Concurrency(3), taskgroup.QueueLimit(5))
		running, peak := 0, 0
		for n := range 20 {
			err := g.Spawn(ctx, func(ctx context.Context) (int, error) { // suspends while 5 wait
				running++
				peak = max(peak, running)
				defer func() { running-- }()
				return n * n, scheduler.Sleep(ctx, time.Microsecond)
			})
			if err != nil {
				return err
			}
		}
		squares, err := g.All().Await(ctx)
		if err != nil {
			return err
		}
		fmt.Println(squares.Values())
		fmt.Println("at once:", peak)
		return nil
	})
	fmt.Println(err)
	// Output:
	// [0 1 4 9 16 25 36 49 64 81 100 121 144 169 196 225 256 289 324 361]
	// at once: 3
	// <nil>
}

// Use each result as soon as it is there.
func Example_resultsAsTheyCome() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.NewKeyed[string, string](ctx)
		for name, takes := range map[string]time.Duration{"slow": 40 * time.Millisecond, "fast": 0, "": 20 * time.Millisecond} {
			err := g.SpawnWithKey(ctx, name, func(ctx context.Context) (string, error) { return fetch(ctx, name, takes) })
			if err != nil {
				return err
			}
		}
		g.Seal()
		for name, r := range g.Each(ctx) {
			fmt.Printf("%q: %q %v\n", name, r.Value, r.Err)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// "fast": "page of fast" <nil>
	// "": "" not found
	// "slow": "page of slow" <nil>
	// <nil>
}

// The first failure ends the rest.
func ExampleFailFast() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx, taskgroup.FailFast())
		_ = g.Spawn(ctx, func(ctx context.Context) (string, error) {
			page, err := fetch(ctx, "patience", time.Hour)
			fmt.Println("the other one:", context.Cause(ctx))
			return page, err
		})
		_ = g.Spawn(ctx, func(ctx context.Context) (string, error) { return fetch(ctx, "", 0) })
		_, err := g.All().Await(ctx)
		fmt.Println(err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// the other one: taskgroup: task 1: not found
	// taskgroup: task 1: not found
	// <nil>
}

// A group that serves for ever keeps nothing of what has ended, and has a failure
// reported when it happens.
func ExampleDiscard() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[struct{}](ctx, taskgroup.Discard(), taskgroup.Concurrency(100), taskgroup.QueueLimit(100))
		g.Scope().OnError(func(_ *scheduler.Coroutine, err error) { fmt.Println("connection:", err) })
		for connection := range 1000 { // accept
			err := g.Spawn(ctx, func(ctx context.Context) (struct{}, error) { // serve
				if connection == 500 {
					return struct{}{}, errors.New("reset by peer")
				}
				return struct{}{}, scheduler.Yield(ctx)
			})
			if err != nil {
				return err
			}
		}
		g.Seal()
		return g.AwaitCompletion(ctx)
	})
	fmt.Println(err)
	// Output:
	// connection: taskgroup: task 500: reset by peer
	// <nil>
}

// What nobody has looked at is not lost.
func ExampleGroup_Dispose() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx)
		_ = g.Spawn(ctx, func(ctx context.Context) (string, error) { return fetch(ctx, "", 0) })
		_ = g.Spawn(ctx, func(ctx context.Context) (string, error) { return fetch(ctx, "a page", time.Millisecond) })
		page, err := g.Any().Await(ctx)
		fmt.Println(page, err)
		fmt.Println("left:", g.Dispose())
		return nil
	})
	fmt.Println(err)
	// Output:
	// page of a page <nil>
	// left: taskgroup: task 0: not found
	// <nil>
}

// A group may belong to a scope that lives longer, or ends earlier, than the caller.
func ExampleInScope() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		server := scheduler.NewScope(ctx)
		g := taskgroup.New[string](ctx, taskgroup.InScope(server))
		_ = g.Spawn(ctx, func(ctx context.Context) (string, error) { return fetch(ctx, "patience", time.Hour) })
		server.Cancel(errors.New("the server stops"))
		_, err := g.All().Await(ctx)
		fmt.Println(err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// scheduler: cancelled: the server stops
	// <nil>
}

func ExampleName() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx, taskgroup.Name("thumbnails"))
		defer g.Dispose()
		fmt.Println(g.Scope())
		return nil
	})
	// Output: scope "thumbnails"
}

// The successes by themselves; the errors are left to whoever asks for them.
func ExampleIgnoreErrors() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx)
		for _, name := range []string{"user", "", "mail"} {
			if err := g.Spawn(ctx, func(ctx context.Context) (string, error) { return fetch(ctx, name, 0) }); err != nil {
				return err
			}
		}
		pages, err := g.All(taskgroup.IgnoreErrors()).Await(ctx)
		fmt.Printf("%q %v\n", pages.Values(), err)
		fmt.Println("left:", g.Dispose())
		return nil
	})
	fmt.Println(err)
	// Output:
	// ["page of user" "page of mail"] <nil>
	// left: taskgroup: task 1: not found
	// <nil>
}

// What runs is told, what waits never runs, and what has succeeded is kept.
func ExampleGroup_Cancel() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx, taskgroup.Concurrency(1))
		for _, takes := range []time.Duration{0, time.Hour, 0} {
			err := g.Spawn(ctx, func(ctx context.Context) (string, error) {
				page, err := fetch(ctx, takes.String(), takes)
				fmt.Println(takes, "ends with", err)
				return page, err
			})
			if err != nil {
				return err
			}
		}
		if _, err := g.Race().Await(ctx); err != nil {
			return err
		}
		if err := scheduler.Yield(ctx); err != nil {
			return err
		}
		g.Cancel(errors.New("enough"))
		pages, err := g.All().Await(ctx)
		fmt.Printf("%q %v\n", pages.Values(), err)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 0s ends with <nil>
	// 1h0m0s ends with scheduler: cancelled: enough
	// ["page of 0s"] scheduler: cancelled: enough
	// <nil>
}

func ExampleGroup_Finally() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx)
		g.Finally(func(g *taskgroup.Group[int, string]) { fmt.Println("settled:", g.Count()) })
		for _, name := range []string{"user", "mail"} {
			err := g.Spawn(ctx, func(ctx context.Context) (string, error) {
				fmt.Println("load", name)
				return fetch(ctx, name, 0)
			})
			if err != nil {
				return err
			}
		}
		g.Seal()
		return nil // Run waits for the tasks and for what comes finally
	})
	fmt.Println(err)
	// Output:
	// load user
	// load mail
	// settled: 2
	// <nil>
}

// Errors that were asked for count as handled.
func ExampleGroup_GetErrors() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[string](ctx)
		for _, name := range []string{"", "user", ""} {
			if err := g.Spawn(ctx, func(ctx context.Context) (string, error) { return fetch(ctx, name, 0) }); err != nil {
				return err
			}
		}
		g.Seal()
		if err := g.AwaitCompletion(ctx); err != nil {
			return err
		}
		for _, failed := range g.GetErrors() {
			fmt.Println(failed.Key, failed.Err)
		}
		fmt.Println("left:", g.Dispose())
		return nil
	})
	fmt.Println(err)
	// Output:
	// 0 not found
	// 2 not found
	// left: <nil>
	// <nil>
}

// The results so far, by key and in the order of the spawns.
func ExampleGroup_GetResults() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.NewKeyed[string, int](ctx)
		for i, name := range []string{"one", "two", "three"} {
			if err := g.SpawnWithKey(ctx, name, func(context.Context) (int, error) { return i + 1, nil }); err != nil {
				return err
			}
		}
		fmt.Println("before:", g.GetResults().Len())
		g.Seal()
		if err := g.AwaitCompletion(ctx); err != nil {
			return err
		}
		results := g.GetResults()
		fmt.Println(results.Get("two"))
		fmt.Println(results.Get("four"))
		fmt.Println(results.Keys(), results.Values())
		fmt.Println(results.Map())
		return nil
	})
	fmt.Println(err)
	// Output:
	// before: 0
	// 2 true
	// 0 false
	// [one two three] [1 2 3]
	// map[one:1 three:3 two:2]
	// <nil>
}

func ExampleTaskError() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.NewKeyed[string, string](ctx)
		_ = g.SpawnWithKey(ctx, "avatar", func(ctx context.Context) (string, error) { return fetch(ctx, "", 0) })
		_, err := g.Race().Await(ctx)
		var failed *taskgroup.TaskError[string]
		if errors.As(err, &failed) {
			fmt.Println(failed.Key, "is", failed.Err)
		}
		return nil
	})
	// Output: avatar is not found
}

// What a group does not do, it says.
func Example_refusals() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.NewKeyed[string, string](ctx)
		task := func(ctx context.Context) (string, error) { return fetch(ctx, "a page", 0) }

		_, err := g.Race().Await(ctx)
		fmt.Println(errors.Is(err, taskgroup.ErrNoTasks), err)

		_ = g.SpawnWithKey(ctx, "user", task)
		err = g.SpawnWithKey(ctx, "user", task)
		fmt.Println(errors.Is(err, taskgroup.ErrDuplicateKey), err)

		err = g.AwaitCompletion(ctx)
		fmt.Println(errors.Is(err, taskgroup.ErrNotSealed), err)

		g.Seal()
		err = g.SpawnWithKey(ctx, "mail", task)
		fmt.Println(errors.Is(err, taskgroup.ErrSealed), err)
		return g.AwaitCompletion(ctx)
	})
	fmt.Println(err)
	// Output:
	// true taskgroup: group has no tasks
	// true taskgroup: key is taken: user
	// true taskgroup: group is not sealed
	// true taskgroup: group is sealed
	// <nil>
}

// A sealed group takes no more tasks; those that it has run on.
func ExampleGroup_Seal() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		g := taskgroup.New[int](ctx)
		defer g.Dispose()
		work := func(ctx context.Context) (int, error) { return 0, scheduler.Yield(ctx) }
		_ = g.Spawn(ctx, work)
		_ = g.Spawn(ctx, work)
		g.Seal()
		fmt.Println(g.Spawn(ctx, work))
		fmt.Println(g.Count(), "tasks, sealed:", g.IsSealed(), "finished:", g.IsFinished())
		err := g.AwaitCompletion(ctx)
		fmt.Println("finished:", g.IsFinished())
		return err
	})
	fmt.Println(err)
	// Output:
	// taskgroup: group is sealed
	// 2 tasks, sealed: true finished: false
	// finished: true
	// <nil>
}
