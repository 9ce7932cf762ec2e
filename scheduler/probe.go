package scheduler

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/trueasync/trueasync-go/ctxpool"
)

// A suspended coroutine is asked where it is suspended by switching to it: it
// answers with its own stack, switches back, and goes on waiting. So a
// suspension notes no place, and costs nothing for it.

// probe is such a question, and the answer.
type probe struct {
	from *ctxpool.Context
	ask  func()
}

// answerProbe is what a coroutine does that runs for a probe.
func (c *Coroutine) answerProbe() {
	for c.x.probe != nil {
		p := c.x.probe
		c.x.probe = nil
		p.ask()
		ctxpool.Switch(c.stack, p.from)
	}
}

// onStack calls ask on the stack of c, which is suspended or ready and has
// started. It runs on the loop.
func (c *Coroutine) onStack(ask func()) {
	here := c.s.running.stack
	if here == c.stack {
		ask() // c is giving way, and this is a callback on its stack
		return
	}
	c.extra().probe = &probe{here, ask}
	c.hooked = true
	ctxpool.Switch(here, c.stack)
}

// parked reports whether there is a stack to ask for.
func (c *Coroutine) parked() bool {
	return c.stack != nil && (c.state == Suspended || c.state == Ready)
}

// SuspendedAt is where it is suspended, as file:line, outside of this module's own
// packages; "" where it is not. On the loop only.
func (c *Coroutine) SuspendedAt() (where string) {
	c.s.mustLoop("SuspendedAt")
	if !c.parked() {
		return ""
	}
	c.onStack(func() {
		var pcs [256]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			switch {
			case isTick(f):
				where = "" // what was above is a callback's
			case where == "" && f.Line > 0 && !internalFrame(f):
				where = f.File + ":" + strconv.Itoa(f.Line)
			}
		}
	})
	return where
}

// isTick reports whether f is where a coroutine that gives way calls what is not
// its own: the tick, or its handlers.
func isTick(f runtime.Frame) bool {
	name, ours := strings.CutPrefix(f.Function, module+"scheduler.")
	return ours && (name == "(*Scheduler).slowNext" || name == "(*Coroutine).handle")
}

// Stack is its stack trace while it is parked, as runtime.Stack formats it; nil
// otherwise. On the loop only.
func (c *Coroutine) Stack() (trace []byte) {
	c.s.mustLoop("Stack")
	if !c.parked() {
		return nil
	}
	c.onStack(func() {
		trace = make([]byte, 4<<10)
		for {
			n := runtime.Stack(trace, false)
			if n < len(trace) {
				trace = trace[:n]
				return
			}
			trace = make([]byte, 2*len(trace))
		}
	})
	return trace
}

const module = "github.com/trueasync/trueasync-go/"

// internalFrame reports whether f is the library's, or the runtime's, and not its
// user's. Tests and examples use it.
func internalFrame(f runtime.Frame) bool {
	if strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "iter.") {
		return true
	}
	rest, ours := strings.CutPrefix(f.Function, module)
	if !ours || strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	return !strings.HasPrefix(rest, "examples/") && !strings.HasPrefix(rest, "bench")
}
