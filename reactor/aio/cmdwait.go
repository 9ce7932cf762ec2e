package aio

import (
	"context"
	"errors"
	"os/exec"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Wait waits until the child has ended and what copies for it is done, and releases
// what belongs to it. Where the child did not succeed the error is an
// *exec.ExitError; where WaitDelay cut the copying off, it is exec.ErrWaitDelay.
//
// It is not interrupted by a cancellation: if the end of the command's own ctx is
// part of that, the child is about to end.
func (c *Cmd) Wait() error {
	switch {
	case c.Process == nil:
		return errors.New("aio: Wait for a command that was not started")
	case c.waiting:
		return errors.New("aio: Wait was called already")
	}
	c.waiting = true
	s := scheduler.Current(c.ctx).Scheduler()
	if running := s.Running(); running != nil {
		return c.wait(context.WithoutCancel(running))
	}
	if s.OnLoop() {
		c.waiting = false
		return scheduler.ErrNotCoroutine
	}
	_, err := scheduler.Submit(s, func(ctx context.Context) (none struct{}, err error) {
		return none, c.wait(context.WithoutCancel(ctx))
	}).Await(context.Background())
	return err
}

func (c *Cmd) wait(ctx context.Context) error {
	defer c.closeOurs()
	end, err := scheduler.Current(ctx).Scheduler().Reactor().NewProcess(c.Process)
	if err != nil {
		return err
	}
	delay, err := c.awaitChild(ctx, end)
	c.ProcessState = end.State()
	if c.ProcessState == nil {
		c.called.stop()
		return err
	}
	err = nil
	if !c.ProcessState.Success() {
		err = &exec.ExitError{ProcessState: c.ProcessState}
	}
	if !c.called.stop() { // ctx has ended, and Cancel is being called or has been
		if _, waitErr := c.called.certain.Await(ctx); err == nil {
			if err = waitErr; err == nil {
				err = c.called.err
			}
		}
	}
	if copyErr := c.awaitCopies(ctx, delay); err == nil {
		err = copyErr
	}
	return err
}

// awaitChild waits for the child, and kills it WaitDelay after Cancel was called.
// The timer that it returns runs WaitDelay from the first of Cancel and the child's
// end; it is nil where there is no such delay.
func (c *Cmd) awaitChild(ctx context.Context, end *reactor.Process) (delay *reactor.Timer, err error) {
	events := []reactor.Event{end, c.called.done}
	for {
		fired, err := scheduler.Suspend(ctx, events...)
		switch {
		case fired == reactor.Event(end), fired == nil && err != nil:
			if delay == nil {
				delay = c.startDelay(ctx)
			}
			return delay, err
		case fired == reactor.Event(c.called.done):
			events = events[:1]
			if delay = c.startDelay(ctx); delay != nil {
				events = append(events, delay)
			}
		case delay != nil && fired == reactor.Event(delay):
			events = events[:1]
			_ = c.Process.Kill() // or it is just ending
		}
	}
}

// startDelay starts a timer over WaitDelay, if there is one.
func (c *Cmd) startDelay(ctx context.Context) *reactor.Timer {
	if c.WaitDelay <= 0 {
		return nil
	}
	t := scheduler.Current(ctx).Scheduler().Reactor().NewTimer(c.WaitDelay, 0)
	if t.Start() != nil {
		return nil
	}
	return t
}

// awaitCopies waits for what copies, until the delay is over; then it is cut off.
func (c *Cmd) awaitCopies(ctx context.Context, delay *reactor.Timer) (first error) {
	if delay != nil {
		defer delay.Stop()
	}
	for _, f := range c.copies {
		for !f.Done() {
			events := []reactor.Event{f}
			if delay != nil {
				events = append(events, delay)
			}
			fired, err := scheduler.Suspend(ctx, events...)
			switch {
			case fired == nil && err != nil:
				return err
			case delay != nil && fired == reactor.Event(delay) && !f.Done():
				first, delay = exec.ErrWaitDelay, nil
				c.closeOurs()
			}
		}
		if outcome, err := f.Await(ctx); err == nil && outcome != nil && first == nil {
			first = outcome
		}
	}
	return first
}
