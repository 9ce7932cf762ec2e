// Echo is a TCP server that sends back what it receives, and a client that loads it,
// in one program and on one loop:
//
//	go run ./examples/echo -clients 50 -seconds 2
//
// With -listen it only serves, until it is interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// options are what the command line says.
type options struct {
	listen  string
	clients int
	seconds float64
	size    int
}

func main() {
	var o options
	flag.StringVar(&o.listen, "listen", "", "address to serve on, without a client")
	flag.IntVar(&o.clients, "clients", 50, "connections of the client")
	flag.Float64Var(&o.seconds, "seconds", 2, "how long the client runs")
	flag.IntVar(&o.size, "size", 64, "bytes in a message")
	flag.Parse()
	if err := run(context.Background(), o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	return scheduler.Run(ctx, func(ctx context.Context) error {
		address := o.listen
		if address == "" {
			address = "127.0.0.1:0"
		}
		l, err := aio.Listen(ctx, "tcp", address)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "listening on", l.Addr())
		server := scheduler.Go(ctx, func(ctx context.Context) error { return serve(ctx, l) })
		if o.listen != "" {
			_, err := aio.WaitSignal(ctx, os.Interrupt)
			scheduler.Current(ctx).Scheduler().Shutdown(err)
			return nil
		}
		trips, took, err := load(ctx, l.Addr().String(), o)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%d round trips of %d bytes over %d connections in %v: %.0f a second\n",
			trips, o.size, o.clients, took.Round(time.Millisecond), float64(trips)/took.Seconds())
		if err := l.Close(); err != nil {
			return err
		}
		return server.Await(ctx)
	})
}

// serve accepts until l is closed; each connection has a coroutine.
func serve(ctx context.Context, l *aio.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		scheduler.Go(ctx, func(context.Context) error { return echo(conn) })
	}
}

// echo sends back what comes. Its buffer is larger than a message, so that one read
// empties the socket: a round trip is one read and one write.
func echo(conn net.Conn) error {
	defer conn.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return ended(err)
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return ended(err)
		}
	}
}

// ended is nil for the ways in which a peer leaves.
func ended(err error) error {
	var op *net.OpError
	if err == io.EOF || errors.As(err, &op) {
		return nil
	}
	return err
}

// load runs the clients and counts their round trips.
func load(ctx context.Context, address string, o options) (trips int, took time.Duration, err error) {
	start := time.Now()
	end := start.Add(time.Duration(o.seconds * float64(time.Second)))
	var clients []*scheduler.Future[int]
	for range o.clients {
		clients = append(clients, scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			return client(ctx, address, o.size, end)
		}))
	}
	for _, c := range clients {
		n, err := c.Await(ctx)
		if err != nil {
			return 0, 0, err
		}
		trips += n
	}
	return trips, time.Since(start), nil
}

// client makes round trips until end.
func client(ctx context.Context, address string, size int, end time.Time) (trips int, err error) {
	conn, err := aio.Dial(ctx, "tcp", address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	message, answer := make([]byte, size), make([]byte, 64<<10)
	for time.Now().Before(end) {
		if _, err := conn.Write(message); err != nil {
			return trips, err
		}
		for got := 0; got < size; {
			n, err := conn.Read(answer)
			if err != nil {
				return trips, err
			}
			got += n
		}
		trips++
	}
	return trips, nil
}
