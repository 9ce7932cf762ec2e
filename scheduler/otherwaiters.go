package scheduler

import (
	"slices"
	"sync"
	"sync/atomic"
)

// otherWaiters are those who wait for a future from elsewhere than its home loop.
//
// The one who settles stores the phase and then looks at some; whoever comes
// stores some and then looks at the phase. So at least one sees the other.
type otherWaiters struct {
	some atomic.Bool
	mu   sync.Mutex
	all  []*otherWaiter
}

// otherWaiter is one of them; notify is called once, from the goroutine that
// settles.
type otherWaiter struct{ notify func() }

// notify tells everybody, after the future was settled, and reports how many that
// were.
func (o *otherWaiters) notify() int {
	if !o.some.Load() {
		return 0
	}
	o.mu.Lock()
	all := o.all
	o.all = nil
	o.mu.Unlock()
	for _, w := range all {
		w.notify()
	}
	return len(all)
}

// remove takes w away and reports whether it was there: not notified.
func (o *otherWaiters) remove(w *otherWaiter) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.Index(o.all, w)
	if i < 0 {
		return false
	}
	o.all = slices.Delete(o.all, i, i+1)
	return true
}

// addOther lists w, unless f is settled.
func (f *future) addOther(w *otherWaiter) bool {
	o := &f.others
	o.mu.Lock()
	o.all = append(o.all, w)
	o.some.Store(true)
	o.mu.Unlock()
	return f.phase.Load() != settled || !o.remove(w)
}
