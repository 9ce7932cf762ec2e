package harness

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Roles are what a process of this program can be started as instead, by name:
// for a measurement that needs a process to itself.
type Roles map[string]Role

// Role reads requests from standard input, a line each, answers each of them
// once, and ends with the input.
type Role func(args []string, requests *bufio.Scanner, answer func(v any)) error

const (
	roleVariable = "TRUEASYNC_BENCH_ROLE"
	// answerMark tells answers from what else a process prints.
	answerMark = "bench answer: "
)

// Play plays the role that this process was started for, and exits; without
// one it returns. Call it first in main, and in TestMain.
func (r Roles) Play() {
	fields := strings.Fields(os.Getenv(roleVariable))
	if len(fields) == 0 {
		return
	}
	play, ok := r[fields[0]]
	if !ok {
		fmt.Fprintf(os.Stderr, "bench: no role %q\n", fields[0])
		os.Exit(2)
	}
	answer := func(v any) { fmt.Println(answerMark + fmt.Sprint(v)) }
	if err := play(fields[1:], bufio.NewScanner(os.Stdin), answer); err != nil {
		fmt.Fprintf(os.Stderr, "bench: role %s: %v\n", fields[0], err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Child is a process in a role.
type Child struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Scanner
}

// childLimit is when a child that has not ended is killed: none takes nearly as long.
const childLimit = 10 * time.Minute

// StartChild starts this program in the role that the words name and describe.
func StartChild(words ...string) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: starting a child: %w", err)
	}
	return start(self, nil,
		roleVariable+"="+strings.Join(words, " "),
		"GORACE=atexit_sleep_ms=0") // a second at each end, under the race detector
}

// StartProgram starts another program that does as a [Role] does: it answers each
// line of its input with one that begins with "bench answer: ", and ends with the
// input.
func StartProgram(name string, args ...string) (*Child, error) { return start(name, args) }

func start(name string, args []string, env ...string) (*Child, error) {
	ctx, cancel := context.WithTimeout(context.Background(), childLimit)
	c, err := startCommand(exec.CommandContext(ctx, name, args...), env)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("bench: starting a child: %w", err)
	}
	c.cancel = cancel
	return c, nil
}

func startCommand(cmd *exec.Cmd, env []string) (*Child, error) {
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Child{cmd: cmd, in: in, out: bufio.NewScanner(out)}, nil
}

// Pid is the process's number.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Ask sends a request and returns the answer.
func (c *Child) Ask(request string) (string, error) {
	if _, err := fmt.Fprintln(c.in, request); err != nil {
		return "", fmt.Errorf("bench: asking a child: %w", err)
	}
	for c.out.Scan() {
		if answer, ok := strings.CutPrefix(c.out.Text(), answerMark); ok {
			return answer, nil
		}
	}
	return "", fmt.Errorf("bench: a child gave no answer to %q: %w", request, io.ErrUnexpectedEOF)
}

// Close lets the child end, and waits for that.
func (c *Child) Close() error {
	defer c.cancel()
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("bench: a child ended: %w", err)
	}
	return nil
}
