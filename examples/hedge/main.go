// Hedge shows how to cut off the long tail of a service's answers: a request that
// has not been answered within a few milliseconds is sent once more, to another
// server, and the first success counts.
//
//	go run ./examples/hedge
package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

const (
	requests = 1000
	atOnce   = 50
	patience = 5 * time.Millisecond
)

func main() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error { return compare(ctx, os.Stdout) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// compare puts the same load on the service, plainly and hedged.
func compare(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%d requests, %d at once; one answer in 20 takes 100 ms, the others 1 to 3 ms\n", requests, atOnce)
	for _, way := range []struct {
		name string
		ask  func(context.Context, *service) (string, error)
	}{{"plain", plain}, {"hedged", hedged}} {
		s := &service{rng: rand.New(rand.NewPCG(1, 2)), clock: scheduler.Current(ctx).Scheduler().Now}
		times, err := load(ctx, s, way.ask)
		if err != nil {
			return err
		}
		slices.Sort(times)
		fmt.Fprintf(out, "%-7s half within %v, 99 of 100 within %v, all within %v, with %d requests sent\n",
			way.name, round(times[requests/2]), round(times[requests*99/100]), round(times[requests-1]), s.sent)
	}
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// load asks the service again and again, a bounded number of times at once, and
// returns how long each answer took.
func load(ctx context.Context, s *service, ask func(context.Context, *service) (string, error)) ([]time.Duration, error) {
	g := taskgroup.New[time.Duration](ctx, taskgroup.Concurrency(atOnce), taskgroup.FailFast())
	for range requests {
		err := g.Spawn(ctx, func(ctx context.Context) (time.Duration, error) {
			began := s.clock()
			_, err := ask(ctx, s)
			return s.clock().Sub(began), err
		})
		if err != nil {
			return nil, err
		}
	}
	times, err := g.All().Await(ctx)
	if err != nil {
		return nil, err
	}
	return times.Values(), g.Dispose()
}

// plain sends the request once.
func plain(ctx context.Context, s *service) (string, error) { return s.answer(ctx) }

// hedged sends it once more where the answer is late. Whichever loses is cancelled:
// Any is used, and not Race, so that a server that fails at once does not win.
func hedged(ctx context.Context, s *service) (string, error) {
	g := taskgroup.New[string](ctx)
	defer g.Dispose()
	if err := g.Spawn(ctx, s.answer); err != nil {
		return "", err
	}
	err := g.Spawn(ctx, func(ctx context.Context) (string, error) {
		if err := scheduler.Sleep(ctx, patience); err != nil {
			return "", err // answered in time: the second request is never sent
		}
		return s.answer(ctx)
	})
	if err != nil {
		return "", err
	}
	return g.Any(taskgroup.CancelRest()).Await(ctx)
}

// service stands for two servers that are slow now and then. It belongs to the
// loop, as all that coroutines share: there is no lock.
type service struct {
	rng   *rand.Rand
	clock func() time.Time
	sent  int
}

func (s *service) answer(ctx context.Context) (string, error) {
	s.sent++
	takes := time.Millisecond + time.Duration(s.rng.Int64N(int64(2*time.Millisecond)))
	if s.rng.IntN(20) == 0 {
		takes = 100 * time.Millisecond
	}
	if err := scheduler.Sleep(ctx, takes); err != nil {
		return "", err
	}
	return "the answer", nil
}
