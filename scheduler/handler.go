package scheduler

import (
	"errors"
	"slices"
	"sync"
)

// SwitchEvent is a point at which a SwitchHandler is called.
type SwitchEvent uint8

// The points.
const (
	Enter  SwitchEvent = iota // the coroutine gets control
	Leave                     // it gives control up
	Finish                    // it gives it up for good
)

// String is the event's name in lower case.
func (e SwitchEvent) String() string {
	switch e {
	case Enter:
		return "enter"
	case Leave:
		return "leave"
	case Finish:
		return "finish"
	}
	return "unknown switch event"
}

// SwitchHandler is a hook on one coroutine's switches. It is called on the loop,
// on the coroutine's own stack, and is kept while its function returns true. It
// must not suspend; it may spawn. A panic in it is an unhandled failure and
// removes it.
type SwitchHandler struct {
	Fn func(c *Coroutine, e SwitchEvent) (keep bool)
}

var (
	errHandlerNil     = errors.New("scheduler: a switch handler has no function")
	errHandlerCalling = errors.New("scheduler: switch handlers cannot be added or removed from within one")
	errHandlerTwice   = errors.New("scheduler: the main-start handler is registered already")
	errTooLate        = errors.New("scheduler: main-start handlers must be registered before Run")
)

// OnSwitch adds h; adding it again does nothing. Adding handlers from within one
// is an error, as is a handler without a function.
func (c *Coroutine) OnSwitch(h *SwitchHandler) error {
	if h == nil || h.Fn == nil {
		return errHandlerNil
	}
	x := c.extra()
	if x.calling {
		return errHandlerCalling
	}
	if !slices.Contains(x.handlers, h) {
		x.handlers = append(x.handlers, h)
		c.hooked = true
	}
	return nil
}

// OffSwitch removes h; one that is not there is left alone. Removing from within
// a handler is an error: return false instead.
func (c *Coroutine) OffSwitch(h *SwitchHandler) error {
	if c.x == nil {
		return nil
	}
	if c.x.calling {
		return errHandlerCalling
	}
	c.x.handlers = slices.DeleteFunc(c.x.handlers, func(have *SwitchHandler) bool { return have == h })
	return nil
}

// handle calls the handlers of a coroutine that is hooked, for e, in the order in
// which they were added. One that does not return, for a panic or a
// runtime.Goexit, is not kept.
func (c *Coroutine) handle(e SwitchEvent) {
	x := c.x
	x.calling = true
	at := 0
	defer func() {
		if at < len(x.handlers) {
			x.handlers = slices.Delete(x.handlers, at, at+1)
		}
		x.calling = false
		c.hooked = len(x.handlers) > 0
	}()
	for at < len(x.handlers) {
		keep := false
		if err := c.s.guard(func() { keep = x.handlers[at].Fn(c, e) }); err != nil {
			c.scope.report(c, err)
		}
		if keep {
			at++
		} else {
			x.handlers = slices.Delete(x.handlers, at, at+1)
		}
	}
}

// everyStart are the main-start handlers of all Schedulers to come.
var everyStart struct {
	sync.Mutex
	handlers []*SwitchHandler
}

// OnMainStart registers h for the main coroutine of every Scheduler that runs
// from then on: for a library that sets itself up before any runs. The returned
// function takes it back. Safe from any goroutine; duplicates are refused.
func OnMainStart(h *SwitchHandler) (remove func(), err error) {
	if h == nil || h.Fn == nil {
		return func() {}, errHandlerNil
	}
	everyStart.Lock()
	defer everyStart.Unlock()
	if slices.Contains(everyStart.handlers, h) {
		return func() {}, errHandlerTwice
	}
	everyStart.handlers = append(everyStart.handlers, h)
	return func() {
		everyStart.Lock()
		defer everyStart.Unlock()
		everyStart.handlers = slices.DeleteFunc(everyStart.handlers, func(have *SwitchHandler) bool { return have == h })
	}, nil
}

// OnMainStart registers h before Run; when the main coroutine is made, every
// such handler is copied to it and called with Enter. One that returns false
// leaves the main coroutine. Duplicates are refused.
func (s *Scheduler) OnMainStart(h *SwitchHandler) error {
	if h == nil || h.Fn == nil {
		return errHandlerNil
	}
	if s.phase.Load() != idle {
		return errTooLate
	}
	if slices.Contains(s.starters, h) {
		return errHandlerTwice
	}
	s.starters = append(s.starters, h)
	return nil
}

// copyStarters gives main its handlers: those for every Scheduler first.
func (s *Scheduler) copyStarters(main *Coroutine) {
	everyStart.Lock()
	defer everyStart.Unlock()
	for _, h := range slices.Concat(everyStart.handlers, s.starters) {
		_ = main.OnSwitch(h) // cannot fail: h was looked at when it was registered
	}
}
