//go:build portable

package coro

// The plain hand-over: a context is parked in a receive from its own channel.

// handOver is what a group needs for it: nothing.
type handOver struct{}

// Context is a goroutine with its stack, running or parked.
type Context struct {
	wake chan struct{}

	group  *Group
	heir   *Context
	body   func()
	goexit bool
}

func (c *Context) init() { c.wake = make(chan struct{}, 1) }

// Switch parks from, the running context, and runs to, a parked one of the same
// group. It returns when somebody switches to from.
func Switch(from, to *Context) {
	to.wake <- struct{}{}
	<-from.wake
}

func (c *Context) spawn() {
	c.init()
	go func() {
		<-c.wake
		c.runBody()
	}()
}

// end is the last act of a context: its goroutine exits next.
func (c *Context) end() { c.heir.wake <- struct{}{} }
