package scheduler

import (
	"context"
	"errors"
	"fmt"
)

var errNoFutures = errors.New("scheduler: nothing to await")

// AwaitAll waits for all of fs and returns their values in the order of the
// arguments. It returns at the first error there is, without waiting for the
// rest. The future that failed, and those passed over, count as looked at. See
// [Future.Await] for who may call it.
func AwaitAll[T any](ctx context.Context, fs ...*Future[T]) ([]T, error) {
	got, err := AwaitN(ctx, len(fs), fs...)
	if err != nil {
		return nil, err
	}
	values := make([]T, len(fs))
	for i, v := range got {
		values[i] = v
	}
	return values, nil
}

// AwaitAny waits for the first of fs to settle and returns its value or error.
// Of those that have settled already it takes the first argument. Those passed over
// count as looked at. AwaitAny of nothing is an error. See [Future.Await] for who
// may call it.
func AwaitAny[T any](ctx context.Context, fs ...*Future[T]) (T, error) {
	var none T
	if len(fs) == 0 {
		return none, errNoFutures
	}
	a := arrivalsOf(ctx, fs)
	defer a.stop()
	i, err := a.next(ctx)
	if err != nil {
		return none, err
	}
	a.passOver()
	return fs[i].get()
}

// AwaitFirst waits for the first of fs to succeed. Where all have failed it
// returns every error in a [*CompositeError], in the order of the arguments.
// AwaitFirst of nothing is an error. See [Future.Await] for who may call it.
func AwaitFirst[T any](ctx context.Context, fs ...*Future[T]) (T, error) {
	var none T
	if len(fs) == 0 {
		return none, errNoFutures
	}
	a := arrivalsOf(ctx, fs)
	defer a.stop()
	for range fs {
		i, err := a.next(ctx)
		if err != nil {
			return none, err
		}
		if fs[i].err == nil {
			a.passOver()
			return fs[i].v, nil
		}
	}
	a.passOver()
	all := &CompositeError{}
	for _, f := range fs {
		f.look()
		all.Errs = append(all.Errs, f.err)
	}
	return none, all
}

// AwaitN waits for n of fs to succeed and returns the values of the first n that
// have, by the index of their argument. Once so many have failed that n is out of
// reach it returns the first error. An n that is negative or above len(fs) is an
// error.
func AwaitN[T any](ctx context.Context, n int, fs ...*Future[T]) (map[int]T, error) {
	if n < 0 || n > len(fs) {
		return nil, fmt.Errorf("scheduler: await of %d out of %d futures", n, len(fs))
	}
	a := arrivalsOf(ctx, fs)
	defer a.stop()
	got := make(map[int]T, n)
	var first *Future[T]
	for failures := 0; len(got) < n; {
		i, err := a.next(ctx)
		if err != nil {
			return nil, err
		}
		if fs[i].err == nil {
			got[i] = fs[i].v
			continue
		}
		if failures++; failures == 1 {
			first = fs[i]
		}
		if failures > len(fs)-n {
			a.passOver()
			_, err := first.get()
			return nil, err
		}
	}
	a.passOver()
	return got, nil
}
