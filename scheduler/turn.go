package scheduler

// A turn of a coroutine lasts from when it comes to run until it gives way. What
// completes at once does not end it: a coroutine whose operations always do, as when
// its peer floods it, would hold the loop. So whoever makes such operations counts
// them with Spend and begins each with YieldIfSpent, as package aio does.
//
// The count is the scheduler's, for only one coroutine has a turn: it does not matter
// of which connection, and in which direction, the operations are.

// turnBudget is what may be spent in a turn: some 20 µs, of which a yield is a small
// part.
const turnBudget = 16

// Spend notes that the running coroutine has done something without being suspended;
// cost is 1 for what takes a system call of a microsecond or so. A turn allows some
// sixteen; see [Coroutine.YieldIfSpent]. It is for the running coroutine, and never
// suspends.
func (c *Coroutine) Spend(cost int) { c.s.spent += cost }

// YieldIfSpent goes to the back of the queue, as [Yield] does, where the running
// coroutine has spent what one turn allows; else it returns at once. A cancellation
// that comes meanwhile interrupts nothing yet: [Coroutine.Interrupted] is to be asked
// after it. The error is one that somebody has given to Resume meanwhile.
func (c *Coroutine) YieldIfSpent() error {
	if c.s.spent < turnBudget {
		return nil
	}
	return c.yieldSpent()
}

func (c *Coroutine) yieldSpent() error {
	s := c.s
	s.spent = 0
	if s.end.final {
		return nil // there every wait fails, and who goes on all the same is unwound
	}
	c.state, c.yielded = Ready, true
	s.ready.PushBack(c)
	s.giveWay(c)
	err := c.wakeErr
	c.wakeErr = nil
	return err
}
