//go:build !portable

package coro

import "iter"

// The fast hand-over.
//
// iter.Pull makes a slot: a place where exactly one goroutine is parked as long
// as the slot lives. At first that is the new goroutine, before its first
// instruction. Whoever enters the slot parks in it, and the one that was parked
// there runs on. Its next and its yield are the two names of that one swap; they
// must be called in turn, and it does not matter by which goroutine.
//
// So one swap leads from any context to any other: find the slot where the other
// is parked, and enter it. That needs no hub, only the note in which slot each
// context is parked.
//
// Invariants, while a context runs:
//
//   - every other live context c of the group, and no other goroutine, is parked
//     in c.slot, and no two in the same;
//   - the live slots are the birth slots of the live contexts: as many as there
//     are parked contexts, the root counted;
//   - slot.odd says that the one parked there entered with next, so that the next
//     swap is a yield.
//
// A slot dies with the context that was born in it, and that wakes whoever is
// parked there, seldom the heir. That bystander is told by the result of its
// swap that it was not meant, and passes control on to Group.meant.
type slot struct {
	next  func() (meant, ok bool)
	yield func(meant bool) (alive bool)
	odd   bool
}

// handOver is what a group needs for it.
type handOver struct {
	meant *Context // who is to run after the end of a slot
}

// Context is a goroutine with its stack, running or parked.
type Context struct {
	slot *slot // where it is parked, while it is
	born slot

	group  *Group
	heir   *Context
	body   func()
	goexit bool
}

func (c *Context) init() {}

// Switch parks from, the running context, and runs to, a parked one of the same
// group. It returns when somebody switches to from.
//
// It is one flat function, because the processor mispredicts its returns after a
// swap: a call less is several nanoseconds less. It loops only for a bystander,
// which passes control on.
func Switch(from, to *Context) {
	for {
		s := to.slot
		from.slot = s
		meant := false // next gives what yield was called with; both give false when the slot has died
		if s.odd {
			s.odd = false
			meant = s.yield(true)
		} else {
			s.odd = true
			meant, _ = s.next()
		}
		if meant || from.group.meant == from {
			return
		}
		to = from.group.meant
	}
}

func (c *Context) spawn() {
	c.slot = &c.born
	c.born.next, _ = iter.Pull(func(yield func(bool) bool) {
		c.born.yield = yield
		c.runBody()
	})
}

// end is the last act of a context: its goroutine exits next, and that ends its
// birth slot.
func (c *Context) end() {
	if c.goexit && c.born.odd {
		c.changeBystander()
	}
	c.group.meant = c.heir
}

// changeBystander is for a context that ends in a runtime.Goexit. iter.Pull hands
// a Goexit on to a goroutine that waits in next, as the one parked in c's birth
// slot does here; one that waits in yield is spared. So a helper takes its place,
// with yield, and the bystander, woken, passes control back to c. The helper is
// who wakes when c is gone; its end wakes the same bystander again, and that
// passes control on to c's heir.
func (c *Context) changeBystander() {
	var helper slot
	helper.next, _ = iter.Pull(func(yield func(bool) bool) {
		helper.yield = yield
		c.born.odd = false
		c.born.yield(false)
	})
	c.group.meant = c
	c.slot = &helper
	helper.odd = true
	helper.next()
}
