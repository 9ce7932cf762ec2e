package aio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Cmd is os/exec's Cmd for coroutines: same fields, same rules. What copies between
// the child and Stdin, Stdout and Stderr that are no *os.File are coroutines of the
// scope of its ctx.
//
// Start and the methods that create pipes are for the coroutine whose ctx Command
// was given, or a goroutine off the loop. Wait, and what includes it, may be called
// by any coroutine of the loop, and by any other goroutine, which it blocks. The end
// of ctx, also by cancellation, ends the child; Wait returns once that has happened.
type Cmd struct {
	Path        string
	Args        []string
	Env         []string
	Dir         string
	Stdin       io.Reader
	Stdout      io.Writer
	Stderr      io.Writer
	ExtraFiles  []*os.File
	SysProcAttr *syscall.SysProcAttr

	Process      *os.Process      // once started
	ProcessState *os.ProcessState // once waited for
	Err          error            // why Path could not be found
	// Cancel is called, on a goroutine of its own, when ctx ends before the child; it
	// kills the child, by default.
	Cancel func() error
	// WaitDelay is how long the child may go on after Cancel, and how long what copies
	// may go on after the child's end. Then it is killed, and they are cut off. 0 is
	// for ever.
	WaitDelay time.Duration

	ctx     context.Context
	ours    []*Stream  // pipes that Wait closes
	childs  []*os.File // what only the child needs
	copies  []*scheduler.Future[error]
	tasks   []func() error // of the copies
	called  cancelling
	waiting bool
}

var errCmdStarted = errors.New("aio: command was started already")

// Command returns a Cmd for the program name, which is looked for as exec.Command
// does. It is not started. The end of ctx, which must be a coroutine's, kills it.
func Command(ctx context.Context, name string, arg ...string) *Cmd {
	if ctx == nil {
		panic("aio: Command with a nil ctx")
	}
	std := exec.Command(name, arg...)
	c := &Cmd{Path: std.Path, Args: std.Args, Err: std.Err, ctx: ctx}
	c.Cancel = func() error { return c.Process.Kill() }
	return c
}

// String is the command, for people to read.
func (c *Cmd) String() string { return (&exec.Cmd{Path: c.Path, Args: c.Args, Err: c.Err}).String() }

// Run starts the command and waits for its end.
func (c *Cmd) Run() error {
	if err := c.Start(); err != nil {
		return err
	}
	return c.Wait()
}

// Output runs the command and returns what it writes to its standard output. An
// error of type *exec.ExitError has the standard error's beginning and end, where
// c.Stderr was nil.
func (c *Cmd) Output() ([]byte, error) {
	if c.Stdout != nil {
		return nil, errors.New("aio: Output of a command that has a Stdout")
	}
	var stdout bytes.Buffer
	c.Stdout = &stdout
	var stderr *ends
	if c.Stderr == nil {
		stderr = &ends{n: 32 << 10}
		c.Stderr = stderr
	}
	err := c.Run()
	var exit *exec.ExitError
	if stderr != nil && errors.As(err, &exit) {
		exit.Stderr = stderr.bytes()
	}
	return stdout.Bytes(), err
}

// CombinedOutput runs the command and returns what it writes to its standard output
// and its standard error.
func (c *Cmd) CombinedOutput() ([]byte, error) {
	if c.Stdout != nil || c.Stderr != nil {
		return nil, errors.New("aio: CombinedOutput of a command that has a Stdout or Stderr")
	}
	var both bytes.Buffer
	c.Stdout, c.Stderr = &both, &both
	err := c.Run()
	return both.Bytes(), err
}

// Start starts the command. It suspends while the child is made.
func (c *Cmd) Start() error {
	switch {
	case c.Process != nil:
		return errCmdStarted
	case c.Err != nil:
		c.release()
		return c.Err
	case c.Path == "":
		return errors.New("aio: no command")
	case c.ctx == nil:
		return errors.New("aio: a Cmd must be made by Command")
	}
	_, err := open(c.ctx, func(ctx context.Context) (none struct{}, err error) { return none, c.start(ctx) })
	if err != nil {
		c.release()
	}
	return err
}

func (c *Cmd) start(ctx context.Context) error {
	std := &exec.Cmd{Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir, ExtraFiles: c.ExtraFiles, SysProcAttr: c.SysProcAttr}
	if err := c.connect(ctx, std); err != nil {
		return err
	}
	childs := c.childs
	c.childs = nil
	_, err := background(ctx, func(context.Context) (*exec.Cmd, error) {
		defer closeAll(childs)
		return std, std.Start()
	}, func(std *exec.Cmd) {
		_ = std.Process.Kill() // nobody wants it any more
		_ = std.Wait()
	})
	if err != nil {
		return err
	}
	c.Process = std.Process
	c.watch(ctx)
	within := context.WithoutCancel(ctx)
	for _, task := range c.tasks {
		c.copies = append(c.copies, scheduler.Spawn(within, func(ctx context.Context) (outcome error, err error) {
			// A cancellation ends the child, and the child's end the copying.
			err = scheduler.Protect(ctx, func(context.Context) error {
				outcome = task()
				return nil
			})
			return outcome, err
		}).Ignore())
	}
	return nil
}

// release gives up what was made for a child that does not come.
func (c *Cmd) release() {
	closeAll(c.childs)
	c.childs = nil
	c.closeOurs()
}

func (c *Cmd) closeOurs() {
	for _, s := range c.ours {
		_ = s.Close() // it may be closed already
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// cancelling is what happens when the ctx of a command ends: its Cancel is called,
// then err is set, then done and certain settle. While ctx goes on that may never
// happen, and waiting for done holds no loop; once ctx has ended it is certain to.
type cancelling struct {
	stop          func() bool
	err           error
	done, certain *scheduler.Future[struct{}]
}

// watch has Cancel called when the command's ctx ends, which outlives that of Start
// where a goroutine off the loop has called it.
func (c *Cmd) watch(ctx context.Context) {
	done, settleDone := scheduler.NewFuture[struct{}](ctx)
	certain, settleCertain := scheduler.NewExternal[struct{}](ctx)
	c.called.done, c.called.certain = done, certain
	c.called.stop = context.AfterFunc(c.ctx, func() {
		err := c.ctx.Err()
		if c.Cancel != nil {
			if cancelErr := c.Cancel(); errors.Is(cancelErr, os.ErrProcessDone) {
				err = nil
			} else if cancelErr != nil {
				err = cancelErr
			}
		}
		c.called.err = err
		_ = settleDone.Complete(struct{}{})
		_ = settleCertain.Complete(struct{}{})
	})
}
