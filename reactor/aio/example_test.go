//go:build unix

package aio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// A server and its client are coroutines of one program.
func Example() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		scheduler.Go(ctx, func(context.Context) error {
			conn, err := l.Accept()
			if err != nil {
				return err
			}
			defer conn.Close()
			_, err = io.Copy(conn, conn)
			return err
		})
		conn, err := aio.Dial(ctx, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		defer conn.Close()
		fmt.Fprintln(conn, "hello")
		line, err := bufio.NewReader(conn).ReadString('\n')
		fmt.Print(line)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: hello
}

// A deadline reaches a call that is under way.
func ExampleConn_SetReadDeadline() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		conn, err := aio.Dial(ctx, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			return err
		}
		_, err = conn.Read(make([]byte, 1)) // nobody writes
		if ne, ok := err.(net.Error); ok {
			fmt.Println("timed out:", ne.Timeout())
		}
		return nil
	})
	// Output: timed out: true
}

func ExampleCommand() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		within, cancel := scheduler.WithTimeout(ctx, time.Minute)
		defer cancel() // which would kill it
		out, err := aio.Command(within, "echo", "hello").Output()
		fmt.Printf("%s%v\n", out, err)
		return nil
	})
	// Output:
	// hello
	// <nil>
}

func ExampleWaitSignal() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		scheduler.Go(ctx, func(context.Context) error {
			return syscall.Kill(os.Getpid(), syscall.SIGUSR1)
		})
		sig, err := aio.WaitSignal(ctx, os.Interrupt, syscall.SIGUSR1)
		fmt.Println(sig, err)
		return nil
	})
	// Output: user defined signal 1 <nil>
}

func ExamplePipe() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		r, w, err := aio.Pipe(ctx)
		if err != nil {
			return err
		}
		defer r.Close()
		scheduler.Go(ctx, func(context.Context) error {
			defer w.Close()
			_, err := io.WriteString(w, "through a pipe")
			return err
		})
		all, err := io.ReadAll(r)
		fmt.Println(string(all), err)
		return nil
	})
	// Output: through a pipe <nil>
}

func ExampleFile() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		dir, err := os.MkdirTemp("", "aio")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f, err := aio.Create(ctx, filepath.Join(dir, "notes"))
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.WriteString(f, "written off the loop"); err != nil {
			return err
		}
		b := make([]byte, 7)
		_, err = f.ReadAt(b, 0)
		fmt.Println(string(b), err)
		return nil
	})
	// Output: written <nil>
}
