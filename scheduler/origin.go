package scheduler

import (
	"context"

	"github.com/trueasync/trueasync-go/internal/gid"
)

// Origin is what a coroutine has from its spawn: the values of a ctx, and the
// place in the source. It lets a [Runner] launch later what is asked for now.
type Origin struct {
	base *baseContext
	pc   uintptr
}

// OriginOf returns the origin of what is spawned into sc with ctx, at pc. The
// ctx's end is left behind; where until is not nil, its end is the coroutine's,
// which learns of it from its ctx. Suspensions are not woken by it: whoever
// launches watches until, with [AfterEnd], and cancels.
//
// The errors are [ErrNotCoroutine] and, off the loop of sc or with a ctx of
// another, [ErrForeignGoroutine].
func (sc *Scope) OriginOf(ctx, until context.Context, pc uintptr) (*Origin, error) {
	parent, bare := ctx.(*Coroutine)
	if !bare {
		if parent = current(ctx); parent == nil {
			return nil, ErrNotCoroutine
		}
	}
	if parent.s != sc.s || parent.gid.Load() != gid.Get() && !sc.s.OnLoop() {
		return nil, ErrForeignGoroutine
	}
	o := &Origin{pc: pc}
	switch {
	case until == nil && bare:
		o.base = parent.values()
	case until == nil:
		o.base = newBase(context.WithoutCancel(ctx))
	case bare:
		o.base = newBase(&borrowedEnd{until, parent.values()})
	default:
		o.base = newBase(&borrowedEnd{until, context.WithoutCancel(ctx)})
	}
	return o, nil
}

// borrowedEnd is a ctx that ends as one ctx does and has the values of another,
// which has no end.
type borrowedEnd struct {
	context.Context
	values context.Context
}

// Value implements context.Context. What package context asks for to find out
// how a ctx ends concerns the end.
func (b *borrowedEnd) Value(key any) any {
	if key == endKey {
		return b.Context.Value(key)
	}
	return b.values.Value(key)
}

// AfterFunc has package context follow the end without a goroutine.
func (b *borrowedEnd) AfterFunc(fn func()) (stop func() bool) {
	return context.AfterFunc(b.Context, fn)
}

// endKey is the key under which package context looks for what ends a ctx: it is
// not exported, but shown to every ctx that is asked.
var endKey = func() any {
	w := &keyWitness{Context: context.Background()}
	_ = context.Cause(w)
	return w.key
}()

// keyWitness is a ctx that has ended, of unknown cause, and remembers the key that
// it was asked for.
type keyWitness struct {
	context.Context
	key any
}

func (w *keyWitness) Err() error { return context.Canceled }

func (w *keyWitness) Value(key any) any {
	w.key = key
	return nil
}
