package taskgroup

import (
	"fmt"
	"math"

	"github.com/trueasync/trueasync-go/scheduler"
)

// Option configures a group. They are fixed when it is made.
type Option func(*config)

// config is what the options set.
type config struct {
	concurrency int
	queueLimit  int
	parent      *scheduler.Scope
	inScope     bool
	name        string
	failFast    bool
	discard     bool
}

// Concurrency has at most n tasks run at once, n of 1 or more. The others wait in
// the order of their spawns, without a coroutine. Without it there is no limit.
func Concurrency(n int) Option { return func(c *config) { c.concurrency = n } }

// QueueLimit has Spawn suspend while n tasks wait for their turn: back-pressure
// on whoever makes the work. 0, the default, is no limit.
func QueueLimit(n int) Option { return func(c *config) { c.queueLimit = n } }

// InScope makes the group's own scope a child of sc, in place of the current one.
func InScope(sc *scheduler.Scope) Option {
	return func(c *config) { c.parent, c.inScope = sc, true }
}

// Name names the group's scope, for dumps.
func Name(name string) Option { return func(c *config) { c.name = name } }

// FailFast has the first failure cancel the rest, with the failed task's
// [*TaskError] as cause. A panic and a runtime.Goexit are failures.
func FailFast() Option { return func(c *config) { c.failFast = true } }

// Discard keeps no results, so that a group that lives long uses constant memory.
// [Group.GetResults] and [Group.GetErrors] are empty, [Group.All] tells only that
// its tasks have settled, and a failure is reported when it happens, unless an
// [Group.Each] is running, which is given it, or a [Group.Race] that somebody waits
// for. Count is the number of tasks that have not settled; a key is free again
// when its task has.
func Discard() Option { return func(c *config) { c.discard = true } }

// configOf applies the options, and panics where one is out of range.
func configOf(opts []Option) config {
	c := config{concurrency: math.MaxInt}
	for _, opt := range opts {
		opt(&c)
	}
	switch {
	case c.concurrency < 1:
		misuse("Concurrency(%d): at least 1 task must be able to run", c.concurrency)
	case c.queueLimit < 0:
		misuse("QueueLimit(%d): the limit must not be negative", c.queueLimit)
	case c.inScope && c.parent == nil:
		misuse("InScope(nil)")
	}
	return c
}

// misuse is what a call that no program can want panics with.
func misuse(rule string, args ...any) {
	panic(fmt.Errorf("taskgroup: "+rule, args...))
}
