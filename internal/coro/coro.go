// Package coro hands control from one goroutine to another, directly: the only
// code of this module that knows how.
//
// A [Group] is the set of contexts of one loop, of which exactly one runs at any
// moment. A [Context] is a goroutine with its stack; the goroutine that enters the
// group is one as well, its root. [Switch] parks the running context and runs
// another in its place.
//
// There are two implementations behind the same names: the fast one
// (switch.go), over the coroutines that package iter is made of, and a plain
// one over channels (portable.go), under the build tag portable. They differ in
// speed alone.
//
// # Rules
//
//   - Only the running context of a group may call anything here.
//   - A context runs its body once. The body may return, panic or call
//     runtime.Goexit; whichever it does, the context's heir runs next: the one
//     named last with [Context.SetHeir], or the root where none was named. The
//     heir must be parked then.
//   - A panic that leaves the body is raised again in the root, by [Group.Enter].
//   - A parked context that is never entered again is a goroutine leaked.
//     [Group.Live] counts the contexts that have not ended.
//   - A body that has locked its goroutine to its thread must unlock it before it
//     switches: the runtime ends the program otherwise. The goroutine that enters
//     the group may be locked, throughout.
package coro

import "runtime/debug"

// Fault is a panic that left the body of a context, with the stack it happened on.
type Fault struct {
	Value any
	Stack []byte
}

// Group is the set of contexts of one loop.
type Group struct {
	root  *Context
	live  int
	fault *Fault
	meant *Context // who is to run after the end of a context
}

// NewGroup returns a group whose root is the goroutine that calls Enter; root is
// the zero Context until then.
func NewGroup(root *Context) *Group {
	g := &Group{root: root}
	root.group = g
	root.init()
	return g
}

// Live is the number of contexts that have not ended, the root left out.
func (g *Group) Live() int { return g.live }

// Enter is Switch from the root. When control comes back because a context ended
// with a panic, Enter panics with its *[Fault].
func (g *Group) Enter(to *Context) {
	Switch(g.root, to)
	if f := g.fault; f != nil {
		g.fault = nil
		panic(f)
	}
}

// Make gives the zero Context c a stack of its own, parked, that runs body when it
// is first entered.
func (g *Group) Make(c *Context, body func()) {
	c.group, c.heir, c.body = g, g.root, body
	g.live++
	c.spawn()
}

// SetHeir names the context that runs when c has ended.
func (c *Context) SetHeir(heir *Context) { c.heir = heir }

// runBody is the bottom of a context's stack. It leaves by returning, or in a
// Goexit that is under way, and reports which in c.goexit; c is at its end then.
func (c *Context) runBody() {
	c.goexit = true
	defer func() {
		if v := recover(); v != nil {
			c.group.fault = &Fault{Value: v, Stack: debug.Stack()}
			c.heir = c.group.root
			c.goexit = false
		}
		c.group.live--
		c.body = nil
		c.end()
	}()
	c.body()
	c.goexit = false
}
