//go:build portable

package coro

// The plain hand-over: a context is parked in a receive from its own channel.

// Context is a goroutine with its stack, running or parked.
type Context struct {
	wake chan struct{}
	slot Slot

	group  *Group
	heir   *Context
	body   func()
	goexit bool
}

func (c *Context) init() { c.wake = make(chan struct{}, 1) }

// Switch parks from, the running context, and runs to, a parked one of the same
// group. It returns when somebody switches to from.
func Switch(from, to *Context) { Park(from, to).Next() }

// Slot is a hand-over that is about to happen.
type Slot struct{ from, to *Context }

// Park, Odd, Yield, Next and PassOn are the parts of Switch, for callers that write
// it out; see switch.go.
func Park(from, to *Context) *Slot {
	from.slot = Slot{from, to}
	return &from.slot
}

// Odd reports by which of the two the slot must be entered: here always by Next.
func (s *Slot) Odd() bool { return false }

// Yield enters an odd slot; there is none.
func (s *Slot) Yield() (meant bool) { return s.Next() }

// Next hands over, and reports, when the caller runs again, that it was meant to.
func (s *Slot) Next() (meant bool) {
	s.to.wake <- struct{}{}
	<-s.from.wake
	return true
}

// PassOn has nothing to do: nobody runs who was not meant to.
func PassOn(*Context) {}

func (c *Context) spawn() {
	c.init()
	go func() {
		<-c.wake
		c.runBody()
	}()
}

// end is the last act of a context: its goroutine exits next.
func (c *Context) end() {
	c.group.meant = c.heir
	c.group.meant.wake <- struct{}{}
}
