package work

import (
	"context"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func init() { Roles["echo-aio"] = EchoRole(serveAIO) }

// serveAIO is this library's server: a coroutine for each connection.
func serveAIO(size int, listening func(string)) error {
	return scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		listening(l.Addr().String())
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			scheduler.Go(ctx, func(context.Context) error { return echo(c, size) })
		}
	})
}
