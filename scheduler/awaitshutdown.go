package scheduler

import "context"

// AwaitShutdown parks the coroutine until it is cancelled. It counts as work: a
// service whose main coroutine waits here is not deadlocked. Its error is that of
// the end of ctx, never nil.
func AwaitShutdown(ctx context.Context) error {
	c, err := own(ctx)
	if err != nil {
		return err
	}
	c.s.holds++
	defer func() { c.s.holds-- }()
	return c.park(ctx, schedulerShutdown)
}
