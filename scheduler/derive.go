package scheduler

import (
	"context"
	"runtime/debug"

	"github.com/trueasync/trueasync-go/internal/event"
	"github.com/trueasync/trueasync-go/internal/gid"
)

// Map derives a future: fn's result for f's value, or f's error. fn runs as a
// coroutine of its own, on f's loop, when f is settled; functions derived from
// one future start in the order in which they were. A future that was settled
// from the start has no loop: fn runs at once, on the calling goroutine. The
// error of f counts as looked at. Safe from any goroutine.
//
//go:noinline
func Map[T, U any](f *Future[T], fn func(T) (U, error)) *Future[U] {
	if fn == nil {
		misuse("Map with a nil function")
	}
	return derive(f, gid.CallerPC(), func() (U, error) {
		if f.err != nil {
			var none U
			return none, f.err
		}
		return fn(f.v)
	})
}

// Catch derives a future that has f's value, or fn's result for f's error. See
// [Map] for where and when fn runs.
//
//go:noinline
func (f *Future[T]) Catch(fn func(error) (T, error)) *Future[T] {
	if fn == nil {
		misuse("Catch with a nil function")
	}
	return derive(f, gid.CallerPC(), func() (T, error) {
		if f.err == nil {
			return f.v, nil
		}
		return fn(f.err)
	})
}

// Finally derives a future that settles as f does, after fn has run. A panic in
// fn becomes its error. See [Map] for where and when fn runs.
//
//go:noinline
func (f *Future[T]) Finally(fn func()) *Future[T] {
	if fn == nil {
		misuse("Finally with a nil function")
	}
	return derive(f, gid.CallerPC(), func() (T, error) {
		fn()
		return f.v, f.err
	})
}

// derive returns the future of next, which runs when f is settled.
func derive[T, U any](f *Future[T], pc uintptr, next func() (U, error)) *Future[U] {
	g := &Future[U]{}
	if f.s == nil {
		g.runNow(next)
		return g
	}
	g.init(f.s, f.scope, pc)
	d := &derivation{from: &f.future, start: func(d *derivation) { g.start(d, pc, next) }}
	d.Target = d
	if f.s.OnLoop() {
		d.join()
	} else if f.s.enqueueItem(inboxItem{run: d.join, refused: d.join}) != nil {
		g.refuse(ErrFinished)
	}
	return g
}

// derivation is a derived future in the list of the one it derives from. By
// itself it does not hear how that ended: the coroutine that it starts does.
type derivation struct {
	event.Waiter
	from  *future
	start func(*derivation)
}

func (d *derivation) join() { d.from.list.AddWaiter(&d.Waiter) }

// hears implements hearer.
func (d *derivation) hears() bool { return false }

// Fired implements event.Target.
func (d *derivation) Fired(*event.Waiter, error) { d.start(d) }

// runNow settles g with the result of next.
func (g *Future[U]) runNow(next func() (U, error)) {
	v, err := callNow(next)
	if err == nil {
		g.v = v
	}
	g.err = err
	g.phase.Store(settled)
}

// refuse fails g, of which nobody is told otherwise, unless it is settled.
func (g *Future[U]) refuse(err error) {
	var none U
	g.seen.Store(true)
	_ = g.resolve(none, err, 0)
}

// start has next run as a coroutine that settles g, unless g was cancelled
// meanwhile. It runs in the nearest open scope from g's own upwards: whoever
// derives wants to know how it ended, also when the scope has been closed.
func (g *Future[U]) start(d *derivation, pc uintptr, next func() (U, error)) {
	if g.phase.Load() != pending {
		return
	}
	scope := g.scope
	for scope.closed && scope.parent != nil {
		scope = scope.parent
	}
	if scope.closed {
		if g.s.phase.Load() == ended {
			g.refuse(ErrFinished)
		} else {
			g.refuse(&CancelledError{g.s.end.cause})
		}
		return
	}
	looked := false
	c := g.s.newCoroutine(scope, g.s.main.values(), pc, func(context.Context) error {
		looked = true
		d.from.look()
		v, err := next()
		_ = g.resolve(v, err, 0) // cancelled meanwhile: nobody wants it
		return nil
	})
	c.future = &g.future // for a panic, a Goexit, and where it never starts
	d.from.told.Add(1)
	c.Finally(func(*Coroutine) {
		if !looked {
			d.from.untell()
		}
	})
	c.launch()
}

// callNow calls next and gives a panic in it as an error.
func callNow[U any](next func() (U, error)) (v U, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, debug.Stack()}
		}
	}()
	return next()
}
