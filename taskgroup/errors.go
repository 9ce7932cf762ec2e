package taskgroup

import (
	"errors"
	"fmt"
)

// Sentinels.
var (
	// ErrSealed: a spawn into a group that was sealed or cancelled.
	ErrSealed = errors.New("taskgroup: group is sealed")
	// ErrNotSealed: AwaitCompletion of a group to which tasks may still be added.
	ErrNotSealed = errors.New("taskgroup: group is not sealed")
	// ErrDuplicateKey: a spawn under a key that is taken.
	ErrDuplicateKey = errors.New("taskgroup: key is taken")
	// ErrNoTasks: Race or Any of an empty group.
	ErrNoTasks = errors.New("taskgroup: group has no tasks")

	errOutrun = errors.New("taskgroup: another task was first")
)

// TaskError says which task failed.
type TaskError[K comparable] struct {
	Key K
	Err error
}

// Error names the task, and has its error.
func (e *TaskError[K]) Error() string {
	return fmt.Sprintf("taskgroup: task %v: %v", e.Key, e.Err)
}

// Unwrap returns the task's own error.
func (e *TaskError[K]) Unwrap() error { return e.Err }
