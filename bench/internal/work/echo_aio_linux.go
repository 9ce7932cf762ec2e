package work

import (
	"context"
	"runtime"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func init() {
	Roles["echo-aio"] = ServerRole(serveAIO)
	Roles["echo-aio-shards"] = ServerRole(serveShards)
}

// serveAIO is this library's server: a coroutine for each connection.
func serveAIO(buffer int, listening func(string)) error {
	return scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		listening(l.Addr().String())
		return serveEchoes(ctx, l, buffer)
	})
}

func serveEchoes(ctx context.Context, l *aio.Listener, buffer int) error {
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		scheduler.Go(ctx, func(context.Context) error { return echo(c, buffer) })
	}
}

// serveShards is the same server on a loop for each processor: the system shares
// the connections out.
func serveShards(buffer int, listening func(string)) error {
	shards := runtime.GOMAXPROCS(0)
	addresses := make(chan string, shards)
	return scheduler.RunShards(context.Background(), shards, func(ctx context.Context, shard int) error {
		address := "127.0.0.1:0"
		if shard > 0 {
			address = <-addresses // before anything runs on this loop
		}
		config := aio.ListenConfig{ReusePort: true}
		l, err := config.Listen(ctx, "tcp", address)
		if shard == 0 {
			defer close(addresses) // others that still wait fail, too
		}
		if err != nil {
			return err
		}
		if shard == 0 {
			for range shards {
				addresses <- l.Addr().String()
			}
			listening(l.Addr().String())
		}
		return serveEchoes(ctx, l, buffer)
	})
}
