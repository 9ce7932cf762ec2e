//go:build unix

package aio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// answering listens on the loopback and answers each connection with what it has
// sent, in capitals.
func answering(ctx context.Context, lc *aio.ListenConfig) (*aio.Listener, error) {
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	scheduler.Go(ctx, func(ctx context.Context) error {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			if err != nil {
				return err
			}
			scheduler.Go(ctx, func(context.Context) error {
				defer conn.Close()
				said, err := io.ReadAll(conn)
				if err != nil {
					return err
				}
				_, err = io.WriteString(conn, strings.ToUpper(string(said)))
				return err
			})
		}
	})
	return l, nil
}

// A dial that takes too long is given up, and so is one whose ctx ends.
func ExampleDialer() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := answering(ctx, &aio.ListenConfig{Backlog: 16})
		if err != nil {
			return err
		}
		defer l.Close()
		d := aio.Dialer{Timeout: 10 * time.Second, FallbackDelay: 100 * time.Millisecond}
		conn, err := d.DialContext(ctx, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		defer conn.Close()
		fmt.Fprint(conn, "hello")
		if err := conn.(*aio.Conn).CloseWrite(); err != nil { // and reading goes on
			return err
		}
		answer, err := io.ReadAll(conn)
		fmt.Println(string(answer))
		return err
	})
	fmt.Println(err)
	// Output:
	// HELLO
	// <nil>
}

// A header and a body are written with one system call, without being joined before.
func ExampleConn_WriteBuffers() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		l, err := answering(ctx, &aio.ListenConfig{})
		if err != nil {
			return err
		}
		defer l.Close()
		conn, err := aio.Dial(ctx, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		defer conn.Close()
		n, err := conn.WriteBuffers(&net.Buffers{[]byte("header, "), []byte("body")})
		if err != nil {
			return err
		}
		if err := conn.CloseWrite(); err != nil {
			return err
		}
		answer, err := io.ReadAll(conn)
		fmt.Println(n, string(answer))
		return err
	})
	fmt.Println(err)
	// Output:
	// 12 HEADER, BODY
	// <nil>
}

// A file goes to a connection by the system alone, where that can; io.Copy finds
// the way by itself.
func ExampleConn_ReadFrom() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		dir, err := os.MkdirTemp("", "aio")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		name := filepath.Join(dir, "page")
		if err := os.WriteFile(name, []byte("a page"), 0o600); err != nil {
			return err
		}
		l, err := answering(ctx, &aio.ListenConfig{})
		if err != nil {
			return err
		}
		defer l.Close()
		conn, err := aio.Dial(ctx, "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		defer conn.Close()
		page, err := aio.Open(ctx, name)
		if err != nil {
			return err
		}
		defer page.Close()
		n, err := conn.ReadFrom(page)
		if err != nil {
			return err
		}
		if err := conn.CloseWrite(); err != nil {
			return err
		}
		answer, err := io.ReadAll(conn)
		fmt.Println(n, string(answer))
		return err
	})
	fmt.Println(err)
	// Output:
	// 6 A PAGE
	// <nil>
}

func ExampleListenPacket() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		here, err := aio.ListenPacket(ctx, "udp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer here.Close()
		there, err := aio.Dial(ctx, "udp", here.LocalAddr().String())
		if err != nil {
			return err
		}
		defer there.Close()
		if _, err := there.Write([]byte("a datagram")); err != nil {
			return err
		}
		buf := make([]byte, 1500)
		n, from, err := here.ReadFrom(buf)
		if err != nil {
			return err
		}
		fmt.Println(string(buf[:n]), from.String() == there.LocalAddr().String())
		return nil
	})
	fmt.Println(err)
	// Output:
	// a datagram true
	// <nil>
}

// An address is its own answer; a name is looked up off the loop.
func ExampleLookupHost() {
	_ = scheduler.Run(context.Background(), func(ctx context.Context) error {
		fmt.Println(aio.LookupHost(ctx, "192.0.2.1"))
		return nil
	})
	// Output: [192.0.2.1] <nil>
}

// What a child prints is read as it comes.
func ExampleCmd_StdoutPipe() {
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		cmd := aio.Command(ctx, "tr", "a-z", "A-Z")
		cmd.Stdin = strings.NewReader("what goes in")
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		text, err := io.ReadAll(out)
		if err != nil {
			return err
		}
		fmt.Println(string(text))
		return cmd.Wait()
	})
	fmt.Println(err)
	// Output:
	// WHAT GOES IN
	// <nil>
}
