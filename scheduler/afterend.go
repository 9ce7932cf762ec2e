package scheduler

import "context"

// AfterEnd is context.AfterFunc on the loop: fn is called, by a callback of the
// loop, when ctx, which belongs to a coroutine, has ended; at once where it has.
// fn must not suspend. The watch does not keep the loop alive. undo ends it, and
// does nothing once fn has been called. AfterEnd is called on the loop, and so is
// undo; it never suspends, and panics elsewhere and where ctx belongs to no
// coroutine.
func AfterEnd(ctx context.Context, fn func()) (undo func()) {
	c := current(ctx)
	if c == nil {
		misuse("AfterEnd with a ctx that belongs to no coroutine: %w", ErrNotCoroutine)
	}
	c.s.mustLoop("AfterEnd")
	if ctx.Err() != nil {
		fn()
		return func() {}
	}
	return c.s.whenEnds(ctx, fn)
}
