package scheduler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Sentinels.
var (
	// ErrNotCoroutine: ctx belongs to no coroutine, or the caller is a callback
	// of the loop, which must not suspend.
	ErrNotCoroutine = errors.New("scheduler: ctx belongs to no running coroutine")
	// ErrForeignGoroutine: a coroutine's ctx was used from a goroutine that is not it.
	ErrForeignGoroutine = errors.New("scheduler: a coroutine's ctx was used from another goroutine")
	// ErrScopeClosed: a spawn into a scope that takes no more.
	ErrScopeClosed = errors.New("scheduler: scope is closed")
	// ErrCompleted: a future was settled a second time.
	ErrCompleted = errors.New("scheduler: future was settled already")
	// ErrChannelClosed: a send on a closed channel, or a receive from one that is closed and drained.
	ErrChannelClosed = errors.New("scheduler: channel is closed")
	// ErrGoexit: the body called runtime.Goexit, as a failing require in a test does.
	ErrGoexit = errors.New("scheduler: runtime.Goexit was called in a coroutine")
	// ErrShutdown is the cause of a shutdown's cancellations.
	ErrShutdown = errors.New("scheduler: shutdown")
	// ErrFinished: the scheduler has ended.
	ErrFinished = errors.New("scheduler: finished")

	errDisposed   = errors.New("scheduler: scope was disposed")
	errOwnScope   = errors.New("scheduler: a scope cannot be awaited from inside it")
	errOtherLoop  = fmt.Errorf("scheduler: a coroutine of another scheduler cannot be waited for, but its future can: %w", ErrForeignGoroutine)
	errOwnEnd     = errors.New("scheduler: a coroutine cannot await its own end")
	errNotStopped = errors.New("scheduler: scope is not cancelled")
)

// CancelledError is a cancellation. It matches context.Canceled; Unwrap gives
// the cause, nil where none was given.
type CancelledError struct{ Cause error }

// Error says that it is a cancellation, and names the cause where there is one.
func (e *CancelledError) Error() string {
	if e.Cause == nil {
		return "scheduler: cancelled"
	}
	return "scheduler: cancelled: " + e.Cause.Error()
}

// Is reports whether target is context.Canceled.
func (e *CancelledError) Is(target error) bool { return target == context.Canceled }

// Unwrap returns the cause.
func (e *CancelledError) Unwrap() error { return e.Cause }

// TimeoutError is the end of a ctx made by [WithTimeout] or [WithDeadline]. It
// matches context.DeadlineExceeded, is a net.Error, and Timeout() is true. After is
// how far off the end was when the ctx was made.
type TimeoutError struct{ After time.Duration }

// Error says after how long.
func (e *TimeoutError) Error() string {
	return "scheduler: timed out after " + e.After.String()
}

// Is reports whether target is context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout is true.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is true, as it is for context.DeadlineExceeded.
func (e *TimeoutError) Temporary() bool { return true }

// PanicError is a panic in a coroutine, with the stack it happened on. Unwrap
// gives the value where that is an error.
type PanicError struct {
	Value any
	Stack []byte
}

// Error has the value, not the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("scheduler: panic: %v", e.Value) }

// Unwrap returns the value of the panic where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// DeadlockError lists every coroutine that waits for what can never come.
type DeadlockError struct{ Coroutines []CoroutineInfo }

// Error is the report: a line for each coroutine, with where it was spawned, where it
// is suspended, and what it waits for.
func (e *DeadlockError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "scheduler: deadlock: %d coroutine(s) wait for what can never come", len(e.Coroutines))
	for _, c := range e.Coroutines {
		fmt.Fprintf(&b, "\n\tcoroutine %d", c.ID)
		if c.Name != "" {
			fmt.Fprintf(&b, " %q", c.Name)
		}
		fmt.Fprintf(&b, ", spawned at %s", orUnknown(c.SpawnedAt))
		fmt.Fprintf(&b, ", suspended at %s", orUnknown(c.SuspendedAt))
		if len(c.WaitsFor) > 0 {
			fmt.Fprintf(&b, ", waits for %s", strings.Join(c.WaitsFor, ", "))
		}
	}
	return b.String()
}

func orUnknown(place string) string {
	if place == "" {
		return "an unknown place"
	}
	return place
}

// CompositeError carries several failures in a fixed order: that of spawning
// unless said otherwise. It is used also where there is one failure alone.
type CompositeError struct{ Errs []error }

// Error is the one failure's own, or all of them, on a line each.
func (e *CompositeError) Error() string {
	if len(e.Errs) == 1 {
		return e.Errs[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "scheduler: %d errors", len(e.Errs))
	for _, err := range e.Errs {
		b.WriteString("\n\t")
		b.WriteString(strings.ReplaceAll(err.Error(), "\n", "\n\t"))
	}
	return b.String()
}

// Unwrap returns the failures, for errors.Is and errors.As.
func (e *CompositeError) Unwrap() []error { return e.Errs }

// shutdownError is the cause of the cancellations of a shutdown that has a cause
// of its own.
type shutdownError struct{ cause error }

func (e *shutdownError) Error() string        { return ErrShutdown.Error() + ": " + e.cause.Error() }
func (e *shutdownError) Is(target error) bool { return target == ErrShutdown }
func (e *shutdownError) Unwrap() error        { return e.cause }

// misuse is what a call that no program can want panics with.
func misuse(rule string, args ...any) {
	panic(fmt.Errorf("scheduler: "+rule, args...))
}
