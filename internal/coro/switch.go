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
type Slot struct {
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
	slot *Slot // where it is parked, while it is
	born Slot

	group  *Group
	heir   *Context
	body   func()
	goexit bool
}

func (c *Context) init() {}

// Switch parks from, the running context, and runs to, a parked one of the same
// group. It returns when somebody switches to from.
//
// The processor mispredicts every return that follows a swap, as the stack of
// return addresses that it keeps is the other context's: each function on the way
// costs several nanoseconds. So a caller that counts them writes the body of
// Switch out; its parts are inlined.
func Switch(from, to *Context) {
	meant := false
	if slot := Park(from, to); slot.Odd() {
		meant = slot.Yield()
	} else {
		meant = slot.Next()
	}
	if !meant {
		PassOn(from)
	}
}

// Park notes that from, the running context, is about to enter the slot where to
// is parked, and returns that. The caller must enter it at once: with Yield where
// it is Odd, with Next where it is not; and where that reports false, call PassOn.
func Park(from, to *Context) *Slot {
	from.slot = to.slot
	return to.slot
}

// Odd reports by which of the two the slot must be entered.
func (s *Slot) Odd() bool { return s.odd }

// Yield enters an odd slot, and reports, when the caller runs again, whether it was
// meant to: not so where the slot has died.
func (s *Slot) Yield() (meant bool) {
	s.odd = false
	return s.yield(true)
}

// Next is Yield for a slot that is not odd. It gives what the yield that woke the
// caller was called with, or false where the slot has died.
func (s *Slot) Next() (meant bool) {
	s.odd = true
	meant, _ = s.next()
	return meant
}

// PassOn is called by a context that runs because a slot died, and returns when it
// runs because it was meant to.
func PassOn(c *Context) {
	for meant := false; !meant && c.group.meant != c; {
		if slot := Park(c, c.group.meant); slot.Odd() {
			meant = slot.Yield()
		} else {
			meant = slot.Next()
		}
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
	var helper Slot
	helper.next, _ = iter.Pull(func(yield func(bool) bool) {
		helper.yield = yield
		c.born.odd = false
		c.born.yield(false)
	})
	c.group.meant = c
	c.slot = &helper
	helper.Next()
}
