package scheduler

import (
	"context"
	"errors"
	"fmt"
)

// asCancelled is the cancellation with that cause; package context's own words
// for "no cause" are none.
func asCancelled(cause error) *CancelledError {
	if e, ok := cause.(*CancelledError); ok {
		return e
	}
	if cause == context.Canceled {
		cause = nil
	}
	return &CancelledError{cause}
}

// asTimeout is the error of a ctx that ended with err, not context.Canceled.
func asTimeout(err, cause error) error {
	switch {
	case cause == nil || errors.Is(err, cause):
		return err
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
