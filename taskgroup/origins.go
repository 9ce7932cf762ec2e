package taskgroup

import (
	"context"
	"reflect"

	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/scheduler"
)

// origins are those of the tasks in the queue. Most tasks are spawned at one place
// with one ctx, and share theirs: it is stored once for a run of tasks.
//
// Invariants: runs is in the order of from; a task's origin is that of the last
// run that begins at its index or before.
type origins struct {
	runs ring.Ring[originRun]

	// Of the last spawn. ctx is kept, so that no other can have its address.
	ctx  context.Context
	pc   uintptr
	last *scheduler.Origin
}

type originRun struct {
	from   int
	origin *scheduler.Origin
}

// of returns the origin of a task spawned into scope with ctx, at pc, that ends
// with until.
func (os *origins) of(scope *scheduler.Scope, ctx, until context.Context, pc uintptr) (*scheduler.Origin, error) {
	if os.last != nil && pc == os.pc && same(ctx, os.ctx) && scope.Scheduler().OnLoop() {
		return os.last, nil
	}
	o, err := scope.OriginOf(ctx, until, pc)
	if err == nil {
		os.ctx, os.pc, os.last = ctx, pc, o
	}
	return o, err
}

// push notes that task i, the last in the queue, has origin o.
func (os *origins) push(i int, o *scheduler.Origin) {
	if n := os.runs.Len(); n == 0 || os.runs.At(n-1).origin != o {
		os.runs.PushBack(originRun{i, o})
	}
}

// take returns the origin of task i, the first in the queue, as it leaves that.
func (os *origins) take(i int) *scheduler.Origin {
	for os.runs.Len() > 1 && os.runs.At(1).from <= i {
		os.runs.PopFront()
	}
	return os.runs.At(0).origin
}

// same reports whether a and b are certainly one ctx. Any type may be one, also
// one that == panics for.
func same(a, b context.Context) bool {
	if ca, ok := a.(*scheduler.Coroutine); ok {
		cb, ok := b.(*scheduler.Coroutine)
		return ok && ca == cb
	}
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	return va.Kind() == reflect.Pointer && vb.Kind() == reflect.Pointer && va.Type() == vb.Type() && va.Pointer() == vb.Pointer()
}
