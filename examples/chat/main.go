// Chat is a chat server. What one says goes to all the others; SIGTERM or an
// interrupt says goodbye to everybody and ends it:
//
//	go run ./examples/chat -listen 127.0.0.1:7777
//	nc 127.0.0.1 7777
//
// Every client has two coroutines: one reads its lines, the other writes what is in
// its mailbox, a channel. A client that does not read cannot hold up the others: its
// mailbox is bounded, and whoever lets it run full is dropped.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:7777", "address to serve on")
	flag.Parse()
	if err := run(context.Background(), *listen, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address string, out io.Writer) error {
	return scheduler.Run(ctx, func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "tcp", address)
		if err != nil {
			return err
		}
		defer l.Close()
		r := &room{clients: make(map[*client]bool)}
		fmt.Fprintln(out, "listening on", l.Addr())
		scheduler.Go(ctx, func(ctx context.Context) error { return r.accept(ctx, l) })
		sig, err := aio.WaitSignal(ctx, os.Interrupt, syscall.SIGTERM)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%v: %d here, closing\n", sig, len(r.clients))
		r.say(nil, "* the server closes")
		r.close()
		scheduler.Current(ctx).Scheduler().Shutdown(errClosing)
		return nil
	})
}

var errClosing = errors.New("the server closes")

// room is who is there. All coroutines share it, without a lock: between two
// suspensions nothing else runs.
type room struct {
	clients map[*client]bool
	joined  int
}

// client is one who is there.
type client struct {
	name    string
	conn    net.Conn
	mailbox *scheduler.Channel[string]
}

// mailboxSize is how many lines a client may be behind.
const mailboxSize = 64

// accept lets in whoever comes.
func (r *room) accept(ctx context.Context, l *aio.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		r.joined++
		c := &client{fmt.Sprintf("guest %d", r.joined), conn, scheduler.NewChannel[string](ctx, mailboxSize)}
		r.clients[c] = true
		r.say(c, "* "+c.name+" is here")
		scheduler.Go(ctx, func(ctx context.Context) error { return r.listen(c) }, scheduler.Named(c.name+" reads"))
		scheduler.Go(ctx, func(ctx context.Context) error { return c.deliver(ctx) }, scheduler.Named(c.name+" writes"))
	}
}

// listen hears what c says, until it leaves.
func (r *room) listen(c *client) error {
	lines := bufio.NewScanner(c.conn)
	for lines.Scan() {
		switch line := strings.TrimSpace(lines.Text()); line {
		case "":
		case "/who":
			for other := range r.clients {
				c.mailbox.TrySend("* " + other.name)
			}
		default:
			r.say(c, c.name+": "+line)
		}
	}
	r.leave(c)
	return nil
}

// say puts a line into the mailboxes of all but the one who says it.
func (r *room) say(by *client, line string) {
	for c := range r.clients {
		if c != by && !c.mailbox.TrySend(line) {
			r.drop(c)
		}
	}
}

// drop throws c out, who does not read: what it has not read is lost.
func (r *room) drop(c *client) {
	delete(r.clients, c)
	c.conn.Close()
	c.mailbox.Close(errors.New("too far behind"))
}

// leave says goodbye for c, if it is still there.
func (r *room) leave(c *client) {
	if !r.clients[c] {
		return
	}
	delete(r.clients, c)
	c.mailbox.Close(nil)
	r.say(c, "* "+c.name+" has left")
}

// close closes everybody's mailbox; what is in them is still delivered.
func (r *room) close() {
	for c := range r.clients {
		delete(r.clients, c)
		c.mailbox.Close(errClosing)
	}
}

// deliver writes what comes into c's mailbox, until that is closed and empty. A
// shutdown does not keep what is there from being delivered: that waits for the
// end of Protect.
func (c *client) deliver(ctx context.Context) error {
	defer c.conn.Close()
	return scheduler.Protect(ctx, func(ctx context.Context) error {
		for line := range c.mailbox.All(ctx) {
			if _, err := io.WriteString(c.conn, line+"\n"); err != nil {
				return nil // it is gone
			}
		}
		return nil
	})
}
