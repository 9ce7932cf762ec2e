//go:build unix

package aio_test

import (
	"context"
	"fmt"
	"io"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// A proxy is two copies, one for each direction; on Linux what comes thick does not
// pass through the program.
func ExampleConn_WriteTo() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		backend, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer backend.Close()
		scheduler.Go(ctx, func(context.Context) error { // answers what it is told
			conn, err := backend.Accept()
			if err != nil {
				return err
			}
			defer conn.Close()
			said, err := io.ReadAll(conn)
			fmt.Fprintf(conn, "you said %q\n", said)
			return err
		})

		proxy, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer proxy.Close()
		scheduler.Go(ctx, func(ctx context.Context) error {
			conn, err := proxy.Accept()
			if err != nil {
				return err
			}
			client := conn.(*aio.Conn)
			defer client.Close()
			server, err := aio.Dial(ctx, "tcp", backend.Addr().String())
			if err != nil {
				return err
			}
			defer server.Close()
			asking := scheduler.Go(ctx, func(context.Context) error {
				if _, err := client.WriteTo(server); err != nil {
					return err
				}
				return server.CloseWrite() // the end is passed on, too
			})
			if _, err := server.WriteTo(client); err != nil {
				return err
			}
			return asking.Await(ctx)
		})

		conn, err := aio.Dial(ctx, "tcp", proxy.Addr().String())
		if err != nil {
			return err
		}
		defer conn.Close()
		fmt.Fprint(conn, "hello")
		if err := conn.CloseWrite(); err != nil {
			return err
		}
		answer, err := io.ReadAll(conn)
		fmt.Print(string(answer))
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: you said "hello"
}
