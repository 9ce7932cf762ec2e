// Quickstart shows the library at work, in one file and in five seconds:
//
//	go run ./examples/quickstart
//
// It is a program of coroutines. They run one at a time on one loop, so nothing
// here is guarded by a lock; and each is written as straight-line code.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func main() {
	// Run starts a loop on this goroutine, runs the function as its first
	// coroutine, and returns when all coroutines have ended.
	if err := scheduler.Run(context.Background(), tour); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func tour(ctx context.Context) error {
	listener, err := serve(ctx)
	if err != nil {
		return err
	}
	defer listener.Close() // ends the server's coroutines
	address := listener.Addr().String()

	for _, stop := range []struct {
		title string
		show  func(ctx context.Context, address string) error
	}{
		{"Three requests at once, by a task group", fetchThree},
		{"One request to two servers, the faster answer wins", hedge},
		{"10,000 tasks, at most 50 at a time", bounded},
		{"A request that takes too long", timeout},
		{"What a switch costs", switches},
	} {
		fmt.Printf("\n%s\n", stop.title)
		if err := stop.show(ctx, address); err != nil {
			return fmt.Errorf("%s: %w", stop.title, err)
		}
	}
	return nil
}

// serve starts a TCP server in the same program: a coroutine that accepts, and one
// for each connection. A client sends a line, "delay word", and after that delay
// gets the word back in capitals.
func serve(ctx context.Context) (*aio.Listener, error) {
	listener, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	fmt.Println("A TCP server listens on", listener.Addr())
	scheduler.Go(ctx, func(ctx context.Context) error {
		for {
			conn, err := listener.Accept() // suspends this coroutine, and no other
			if err != nil {
				return nil // the listener was closed
			}
			scheduler.Go(ctx, func(ctx context.Context) error {
				defer conn.Close()
				return answer(ctx, conn)
			})
		}
	}, scheduler.Named("accept"))
	return listener, nil
}

func answer(ctx context.Context, conn io.ReadWriter) error {
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return nil // the client has gone
	}
	before, word, _ := strings.Cut(strings.TrimSpace(line), " ")
	delay, err := time.ParseDuration(before)
	if err != nil {
		_, _ = fmt.Fprintln(conn, err)
		return nil
	}
	if err := scheduler.Sleep(ctx, delay); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(conn, strings.ToUpper(word)) // the client may have given up
	return nil
}

// request asks the server for a word. It suspends wherever it has to wait.
func request(ctx context.Context, address, word string, delay time.Duration) (string, error) {
	var dialer aio.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	// Reading has no ctx: the end of ctx closes the connection instead.
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := fmt.Fprintln(conn, delay, word); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return strings.TrimSpace(line), err
}

// fetchThree loads three things at once, each under a name of its own. All gives
// the results in the order of the spawns, or every error there was.
func fetchThree(ctx context.Context, address string) error {
	began := time.Now()
	group := taskgroup.NewKeyed[string, string](ctx)
	for _, word := range []string{"profile", "orders", "messages"} {
		err := group.SpawnWithKey(ctx, word, func(ctx context.Context) (string, error) {
			return request(ctx, address, word, 100*time.Millisecond)
		})
		if err != nil {
			return err
		}
	}
	results, err := group.All().Await(ctx)
	if err != nil {
		return err
	}
	for key, value := range results.All() {
		fmt.Printf("  %-9s %s\n", key, value)
	}
	fmt.Printf("  three times 100ms took %v\n", since(began))
	return nil
}

// hedge sends one request twice and takes whichever answer comes first; the other
// request is cancelled.
func hedge(ctx context.Context, address string) error {
	began := time.Now()
	group := taskgroup.New[string](ctx)
	for _, delay := range []time.Duration{300 * time.Millisecond, 50 * time.Millisecond} {
		err := group.Spawn(ctx, func(ctx context.Context) (string, error) {
			return request(ctx, address, "answer-after-"+delay.String(), delay)
		})
		if err != nil {
			return err
		}
	}
	first, err := group.Race(taskgroup.CancelRest()).Await(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("  %s, in %v\n", first, since(began))
	return nil
}

// bounded runs many tasks, few at a time. A task that waits for its turn has no
// stack. The counters are shared by all of them, without a lock.
func bounded(ctx context.Context, _ string) error {
	const tasks, limit = 10_000, 50
	began := time.Now()
	running, most := 0, 0
	group := taskgroup.New[int](ctx, taskgroup.Concurrency(limit))
	for i := range tasks {
		err := group.Spawn(ctx, func(ctx context.Context) (int, error) {
			running++
			most = max(most, running)
			err := scheduler.Yield(ctx) // let the others run
			running--
			return i * i, err
		})
		if err != nil {
			return err
		}
	}
	results, err := group.All().Await(ctx)
	if err != nil {
		return err
	}
	sum := 0
	for _, square := range results.Values() {
		sum += square
	}
	fmt.Printf("  the sum of %d squares is %d; at most %d ran at once; %v\n", results.Len(), sum, most, since(began))
	return nil
}

// timeout gives a request less time than it needs. The timeout is an error like
// any other, and not mistaken for a cancellation.
func timeout(ctx context.Context, address string) error {
	limited, cancel := scheduler.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err := request(limited, address, "never", time.Second)
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no timeout, but %v", err)
	}
	fmt.Println(" ", err)
	return nil
}

// switches measures how long it takes to go from one coroutine to the next, and
// from one goroutine to the next over a channel.
func switches(ctx context.Context, _ string) error {
	const rounds = 500_000
	yield := func(ctx context.Context) error {
		for range rounds {
			if err := scheduler.Yield(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	began := time.Now()
	other := scheduler.Go(ctx, yield)
	if err := yield(ctx); err != nil {
		return err
	}
	if err := other.Await(ctx); err != nil {
		return err
	}
	coroutine := time.Since(began) / (2 * rounds)

	// Goroutines are measured off the loop, which a blocking channel would hold.
	channel, err := scheduler.Offload(ctx, func(context.Context) (time.Duration, error) {
		ping, pong := make(chan struct{}), make(chan struct{})
		go func() {
			for range ping {
				pong <- struct{}{}
			}
		}()
		began := time.Now()
		for range rounds {
			ping <- struct{}{}
			<-pong
		}
		took := time.Since(began) / (2 * rounds)
		close(ping)
		return took, nil
	}).Await(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("  from coroutine to coroutine             %v\n", coroutine)
	fmt.Printf("  from goroutine to goroutine, by channel %v, %.1f times as much\n",
		channel, float64(channel)/float64(coroutine))
	return nil
}

func since(began time.Time) time.Duration { return time.Since(began).Round(time.Millisecond) }
