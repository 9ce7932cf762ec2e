package scheduler

import "context"

// watch has fn called, on the loop, when ctx has ended, which package context tells
// by a goroutine. So there is a moment in which ctx has ended and the loop does not
// know; those who must know at once look through the watches, which belong to the
// loop.
type watch struct {
	ctx        context.Context
	fn         func()
	over       bool
	next, prev *watch
}

// whenEnds has fn called on the loop when ctx has ended. The returned function
// undoes it; it belongs to the loop.
func (s *Scheduler) whenEnds(ctx context.Context, fn func()) (undo func()) {
	switch ctx := ctx.(type) {
	case *deadlineContext:
		return ctx.whenEnds(fn)
	case *Coroutine:
		if !ctx.linked { // it ends by a cancellation alone
			return ctx.extra().onCancel.Subscribe(func(error) { fn() })
		}
	}
	if ctx.Done() == nil {
		return func() {}
	}
	w := &watch{ctx: ctx, fn: fn}
	s.addWatch(w)
	stop := context.AfterFunc(ctx, func() {
		_ = s.enqueue(func() { // a loop that has ended wakes nobody
			if !w.over {
				fn()
			}
		})
	})
	return func() {
		stop()
		s.removeWatch(w)
	}
}

func (s *Scheduler) addWatch(w *watch) {
	w.next = s.watches
	if w.next != nil {
		w.next.prev = w
	}
	s.watches = w
}

func (s *Scheduler) removeWatch(w *watch) {
	if w.over {
		return
	}
	w.over = true
	if w.next != nil {
		w.next.prev = w.prev
	}
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		s.watches = w.next
	}
}

// noticeEnds tells those whose ctx has ended, without waiting for package context
// to. On virtual time that must be before the clock moves on.
func (s *Scheduler) noticeEnds() {
	var ended []*watch
	for w := s.watches; w != nil; w = w.next {
		noticeEnd(w.ctx)
		if w.ctx.Err() != nil {
			ended = append(ended, w)
		}
	}
	for _, w := range ended {
		if !w.over {
			w.fn()
		}
	}
}
