package reactor

import "github.com/trueasync/trueasync-go/internal/event"

// Event is anything that can be waited for. An event is created idle: nothing
// is armed, and nothing ticks, until Start.
//
// Events belong to the loop: none of their methods may be called from another
// goroutine while Execute runs.
type Event interface {
	// Start arms the event. Starts are counted; arming an armed event costs
	// nothing. The start of an event of a closed reactor fails with an error
	// that matches [net.ErrClosed].
	Start() error
	// Stop undoes one Start; the last one disarms. Stopping an idle event does
	// nothing. An event that fires once is idle again when it has fired.
	Stop()
	// Subscribe has fn called, on the loop, each time the event fires. An event
	// that has already completed calls it before Subscribe returns. The
	// returned function undoes it, also from within fn.
	Subscribe(fn func(err error)) (unsubscribe func())
	// String names what is waited for, for dumps: "timer 5s", "tcp read 127.0.0.1:80".
	String() string
}

// waiters is the half of an event that those who wait see. It implements
// [event.Source] and shows nothing else of the list it holds.
//
// The list itself is never settled: an event that has completed may be started
// again, and its subscribers are to be told again.
type waiters struct {
	list   event.List
	done   bool   // completed, with err, and not started again
	firing uint32 // counts the firings; see fire
	err    error
}

// AddWaiter is Subscribe without a closure, for this module's own packages.
func (ws *waiters) AddWaiter(w *event.Waiter) {
	if ws.done {
		w.Target.Fired(w, ws.err)
		return
	}
	ws.list.AddWaiter(w)
}

// RemoveWaiter undoes AddWaiter.
func (ws *waiters) RemoveWaiter(w *event.Waiter) { ws.list.RemoveWaiter(w) }

// Subscribe has fn called each time the event fires, and at once if it has
// completed; see [Event].
func (ws *waiters) Subscribe(fn func(err error)) (unsubscribe func()) {
	s := &subscriber{ws: ws, fn: fn}
	s.waiter.Target = s
	ws.list.AddWaiter(&s.waiter)
	if ws.done {
		fn(ws.err)
	}
	return func() { ws.list.RemoveWaiter(&s.waiter) }
}

// complete fires an event that has completed.
func (ws *waiters) complete(err error) {
	ws.done, ws.err = true, err
	ws.fire(err)
}

// pend makes a completed event pending again.
func (ws *waiters) pend() { ws.done, ws.err = false, nil }

// fire tells everyone listed. Should a subscriber panic, the others are still
// told before the panic goes on: the list is gone through again, and those who
// know already tell by the number of the firing.
func (ws *waiters) fire(err error) {
	if ws.list.Empty() {
		return
	}
	ws.firing++
	ws.tell(err)
}

func (ws *waiters) tell(err error) {
	told := false
	defer func() {
		if !told {
			ws.tell(err)
		}
	}()
	ws.list.Fire(err)
	told = true
}

// subscriber is a function in the list of an event.
type subscriber struct {
	waiter event.Waiter
	ws     *waiters
	fn     func(error)
	told   uint32 // the last firing it knows of
}

// Fired implements [event.Target].
func (s *subscriber) Fired(_ *event.Waiter, err error) {
	if s.told == s.ws.firing {
		return
	}
	s.told = s.ws.firing
	s.fn(err)
}

// starts counts the starts of an event that have not been stopped.
type starts int32

// any reports whether the event is armed.
func (n starts) any() bool { return n > 0 }

// start counts one more, and reports whether it is the first.
func (n *starts) start() (first bool) {
	*n++
	return *n == 1
}

// stop counts one less, and reports whether it was the last. There is never
// less than none.
func (n *starts) stop() (last bool) {
	if *n == 0 {
		return false
	}
	*n--
	return *n == 0
}
