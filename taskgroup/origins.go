package taskgroup

import (
	"context"
	"reflect"

	"github.com/trueasync/trueasync-go/scheduler"
)

// origins remembers the origin of the last spawn: most come from one place with
// one ctx, and share it.
type origins struct {
	ctx  context.Context // kept, so that no other has its address
	pc   uintptr
	last *scheduler.Origin
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
