package nettest

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"

	"golang.org/x/net/nettest"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// loop runs a loop in the background and returns a ctx of a coroutine of its.
func loop(t *testing.T) context.Context {
	got, ended := make(chan context.Context), make(chan error, 1)
	s := scheduler.New()
	go func() {
		ended <- s.Run(context.Background(), func(ctx context.Context) error {
			got <- ctx
			_ = scheduler.AwaitShutdown(ctx)
			return nil
		})
	}()
	t.Cleanup(func() {
		s.Shutdown(nil)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return <-got
}

// pipes makes pairs of connections on the loop of ctx.
func pipes(t *testing.T, ctx context.Context, network string) nettest.MakePipe {
	return func() (c1, c2 net.Conn, stop func(), err error) {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
		}
		l, err := aio.Listen(ctx, network, address)
		if err != nil {
			return nil, nil, nil, err
		}
		c1, err = aio.Dial(ctx, network, l.Addr().String())
		if err == nil {
			c2, err = l.Accept()
		}
		if err = errors.Join(err, l.Close()); err != nil {
			return nil, nil, nil, err
		}
		return c1, c2, func() { _, _ = c1.Close(), c2.Close() }, nil
	}
}

func TestConnOverTCP(t *testing.T) { nettest.TestConn(t, pipes(t, loop(t), "tcp")) }

func TestConnOverUnixSockets(t *testing.T) { nettest.TestConn(t, pipes(t, loop(t), "unix")) }
