package taskgroup

import (
	"cmp"
	"slices"

	"github.com/trueasync/trueasync-go/scheduler"
)

// failure is one task's, and whether it is somebody's concern yet.
type failure[K comparable] struct {
	TaskError[K]
	i      int  // the task's index
	number int  // of the failure, in the order in which they happened
	seen   bool // handled
	silent bool // a cancellation of this task alone: reported by nobody
}

// failures are those of a group. An error is handled when somebody has been given
// it, which for a future is known only later: until then it is in deliveries.
type failures[K comparable] struct {
	all        []*failure[K]
	fresh      []fresh[K] // of a group that discards: not passed on yet
	deliveries []delivery[K]
	limit      int // of len(deliveries), at which to look which are done
	suppressed bool
}

// delivery is a future that has failed with some of them.
type delivery[K comparable] struct {
	to       interface{ Delivered() bool }
	failures []*failure[K]
}

// keep stores f, which has just happened.
func (fs *failures[K]) keep(f *failure[K]) {
	f.number = len(fs.all)
	fs.all = append(fs.all, f)
}

// deliver notes that whoever is given to's error is given these.
func (fs *failures[K]) deliver(to interface{ Delivered() bool }, these ...*failure[K]) {
	if len(fs.deliveries) >= fs.limit {
		fs.collect()
		fs.limit = max(8, 2*len(fs.deliveries))
	}
	fs.deliveries = append(fs.deliveries, delivery[K]{to, these})
}

// collect marks as handled what futures have delivered.
func (fs *failures[K]) collect() {
	fs.deliveries = slices.DeleteFunc(fs.deliveries, func(d delivery[K]) bool {
		if !d.to.Delivered() {
			return false
		}
		see(d.failures)
		return true
	})
}

func see[K comparable](fs []*failure[K]) {
	for _, f := range fs {
		f.seen = true
	}
}

// of returns those of the first n tasks, in the order of the spawns.
func (fs *failures[K]) of(n int) (some []*failure[K]) {
	for _, f := range fs.all {
		if f.i < n {
			some = append(some, f)
		}
	}
	slices.SortFunc(some, func(a, b *failure[K]) int { return cmp.Compare(a.i, b.i) })
	return some
}

// unhandled returns those that nobody has handled, in the order of the spawns.
func (fs *failures[K]) unhandled() []*failure[K] {
	fs.collect()
	if fs.suppressed {
		return nil
	}
	return slices.DeleteFunc(fs.of(maxTasks), func(f *failure[K]) bool { return f.seen || f.silent })
}

// composite is the error that carries them.
func composite[K comparable](fs []*failure[K]) *scheduler.CompositeError {
	e := &scheduler.CompositeError{}
	for _, f := range fs {
		e.Errs = append(e.Errs, &f.TaskError)
	}
	return e
}

// GetErrors returns the errors of the tasks that have failed so far, in the order
// of their spawns. They count as handled. Cancellations that the group or a scope
// above it caused are not among them.
func (g *Group[K, T]) GetErrors() []*TaskError[K] {
	g.mustLoop("GetErrors")
	fs := g.failures.of(maxTasks)
	see(fs)
	errs := make([]*TaskError[K], len(fs))
	for i, f := range fs {
		errs[i] = &f.TaskError
	}
	return errs
}

// SuppressErrors counts all errors as handled, also those to come. They stay in
// GetErrors, All and the rest.
func (g *Group[K, T]) SuppressErrors() {
	g.mustLoop("SuppressErrors")
	g.failures.suppressed = true
}

// scopeEnded is called when the group's scope has ended.
func (g *Group[K, T]) scopeEnded() {
	g.unwatch()
	if fs := g.failures.unhandled(); len(fs) > 0 {
		see(fs)
		g.scope.Report(nil, composite(fs))
	}
}
