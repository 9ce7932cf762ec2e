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
// is parked, and enter it. That needs no hub, only the note, with each context,
// in which slot it is parked. The note is a copy of the slot's two functions, and
// not a pointer, so that a switch touches no third context.
//
// Invariants, while a context runs:
//
//   - every other live context c of the group, and no other goroutine, is parked
//     in the slot that c.at names, and no two in the same;
//   - the live slots are the birth slots of the live contexts: as many as there
//     are parked contexts, the root counted;
//   - at.odd says that the one parked there entered with next, so that the next
//     swap is a yield.
//
// A slot dies with the context that was born in it, and that wakes whoever is
// parked there, seldom the heir. That bystander is told by the result of its
// swap that it was not meant, and passes control on to Group.meant.

// Slot is a slot, and by which of its two functions it is to be entered.
type Slot struct {
	next  func() (meant, ok bool)
	yield func(meant bool) (alive bool)
	born  *Context // in it, nil for a helper's
	odd   bool
}

// Context is a goroutine with its stack, running or parked.
type Context struct {
	at Slot // where it is parked; what the running context has here is stale

	group      *Group
	heir       *Context
	body       func()
	next, prev *Context // in the group's list
	goexit     bool
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
	from.at = to.at
	from.at.odd = !to.at.odd
	return &to.at
}

// Odd reports by which of the two the slot must be entered.
func (s *Slot) Odd() bool { return s.odd }

// Yield enters an odd slot, and reports, when the caller runs again, whether it was
// meant to: not so where the slot has died.
func (s *Slot) Yield() (meant bool) { return s.yield(true) }

// Next is Yield for a slot that is not odd. It gives what the yield that woke the
// caller was called with, or false where the slot has died.
func (s *Slot) Next() (meant bool) {
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

// spawn makes the stack of c. It runs at once as far as its yield, so that the
// slot is whole before anybody copies it.
func (c *Context) spawn() {
	next, _ := iter.Pull(func(yield func(bool) bool) {
		c.at.yield = yield
		yield(true)
		c.runBody()
	})
	c.at.next, c.at.born = next, c
	next()
	c.group.link(c)
}

// end is the last act of a context: its goroutine exits next, and that ends its
// birth slot.
func (c *Context) end() {
	c.group.unlink(c)
	if c.goexit {
		if at := c.group.parkedIn(c); at.odd {
			c.changeBystander(at.yield)
		}
	}
	c.group.meant = c.heir
}

// changeBystander is for a context that ends in a runtime.Goexit. iter.Pull hands
// a Goexit on to a goroutine that waits in next, as the one parked in c's birth
// slot does here; one that waits in yield is spared. So a helper takes its place,
// with yield, and the bystander, woken, passes control back to c. The helper is
// who wakes when c is gone; its end wakes the same bystander again, and that
// passes control on to c's heir.
func (c *Context) changeBystander(yield func(bool) bool) {
	enter, _ := iter.Pull(func(helpers func(bool) bool) {
		c.at = Slot{yield: helpers, odd: true}
		yield(false)
	})
	c.group.meant = c
	enter()
}

// link and unlink keep the list of live contexts, the root first.
func (g *Group) link(c *Context) {
	c.prev, c.next = g.root, g.root.next
	if c.next != nil {
		c.next.prev = c
	}
	g.root.next = c
}

func (g *Group) unlink(c *Context) {
	c.prev.next = c.next
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

// parkedIn is the slot that c, which runs, was born in, as whoever is parked there
// notes it.
func (g *Group) parkedIn(c *Context) Slot {
	for p := g.root; p != nil; p = p.next {
		if p.at.born == c && p != c {
			return p.at
		}
	}
	panic("coro: nobody is parked in a live slot")
}
