// Run runs commands at the same time, shows what each writes, line by line as it
// comes, and kills those that take longer than a time limit:
//
//	go run ./examples/run -timeout 2s 'echo hello' 'for i in 1 2 3; do echo $i; sleep 0.5; done' 'sleep 60'
//
// It ends with status 1 if one of them fails.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
	"github.com/trueasync/trueasync-go/taskgroup"
)

func main() {
	timeout := flag.Duration("timeout", 10*time.Second, "how long a command may take")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: run [-timeout 10s] 'command' ...")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Args(), *timeout, os.Stdout); err != nil {
		os.Exit(1)
	}
}

// run runs the commands, all at once, and reports each one's end. Its error is that
// of the commands that failed.
func run(ctx context.Context, commands []string, timeout time.Duration, out io.Writer) error {
	return scheduler.Run(ctx, func(ctx context.Context) error {
		group := taskgroup.New[struct{}](ctx)
		for i, command := range commands {
			err := group.Spawn(ctx, func(ctx context.Context) (none struct{}, err error) {
				err = one(ctx, i+1, command, timeout, out)
				if err != nil {
					fmt.Fprintf(out, "%d: %v\n", i+1, err)
				} else {
					fmt.Fprintf(out, "%d: done\n", i+1)
				}
				return none, err
			})
			if err != nil {
				return err
			}
		}
		group.Seal()
		_, err := group.All().Await(ctx)
		return err
	})
}

// one runs one command, and kills it when the time is over.
func one(ctx context.Context, n int, command string, timeout time.Duration, out io.Writer) error {
	within, cancel := scheduler.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := aio.Command(within, "sh", "-c", command)
	both := &lines{prefix: fmt.Sprintf("%d| ", n), out: out}
	cmd.Stdout, cmd.Stderr = both, both
	cmd.WaitDelay = 100 * time.Millisecond // for what the command has left running
	err := cmd.Run()
	both.flush()
	if within.Err() == context.DeadlineExceeded {
		return fmt.Errorf("killed after %v: %w", timeout, err)
	}
	return err
}

// lines writes whole lines, each with a prefix. Coroutines run one at a time, and
// here they do not suspend, so lines of several commands do not mix, and there is no
// lock.
type lines struct {
	prefix string
	out    io.Writer
	rest   []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		fmt.Fprintf(l.out, "%s%s\n", l.prefix, line)
		l.rest = rest
	}
}

// flush writes the last line where nothing ended it.
func (l *lines) flush() {
	if len(l.rest) > 0 {
		_, _ = l.Write([]byte("\n"))
	}
}
