package ctxpool

import "github.com/trueasync/trueasync-go/internal/coro"

// Context is a stack of its own. Control enters it only through Switch.
type Context struct {
	coro.Context
	closing bool // its pool wants it to end
	fresh   bool // it is idle and has never been given out
}

// Switch parks from, which must be the running context, and runs to, which must be
// a parked one of the same pool. It returns when somebody switches to from.
func Switch(from, to *Context) { coro.Switch(&from.Context, &to.Context) }
