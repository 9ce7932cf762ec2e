package taskgroup

// outcomes are what has become of the tasks: of each, by index, where the group
// keeps them, and of the first in any case.
//
// Those that have settled and that no Each has yielded yet are linked in the order
// in which they settled: oldest and newest are the ends, and each cell names the
// one after it, as index+1, 0 for none. So completion order costs no memory of
// its own, and each outcome is yielded once.
type outcomes[K comparable, T any] struct {
	cells          vec[cell[T]]
	oldest, newest int32
	succeeded      int
	cancelled      int

	first   *outcome[K, T] // to settle
	success *outcome[K, T] // to succeed
}

// cell is a task: what it returned, and how it stands.
type cell[T any] struct {
	v     T
	state int32 // one of those below, or asFailure + the failure's number
	next  int32
}

const (
	unsettled int32 = iota
	succeeded
	cancelled
	asFailure
)

// maxTasks is how many tasks a group that keeps results can have: their indexes
// are stored in 32 bits.
const maxTasks = 1<<31 - 1 - int(asFailure)

// outcome is one of them by itself. It is a failure where f is not nil, a success
// where it is not a cancellation either.
type outcome[K comparable, T any] struct {
	key       K
	v         T
	f         *failure[K]
	cancelled bool
}

// note counts o and remembers it where it is a first.
func (os *outcomes[K, T]) note(o *outcome[K, T]) {
	success := false
	switch {
	case o.f != nil:
	case o.cancelled:
		os.cancelled++
	default:
		os.succeeded++
		success = os.success == nil
	}
	if os.first != nil && !success {
		return
	}
	kept := *o
	if os.first == nil {
		os.first = &kept
	}
	if success {
		os.success = &kept
	}
}

// put stores what has become of task i, and links it.
func (os *outcomes[K, T]) put(i int, o *outcome[K, T]) {
	c := os.cells.at(i)
	c.v = o.v
	switch {
	case o.f != nil:
		c.state = asFailure + int32(o.f.number)
	case o.cancelled:
		c.state = cancelled
	default:
		c.state = succeeded
	}
	if os.newest == 0 {
		os.oldest = int32(i) + 1
	} else {
		os.cells.at(int(os.newest) - 1).next = int32(i) + 1
	}
	os.newest = int32(i) + 1
}

// pop takes the oldest that is linked; ok is false where there is none.
func (os *outcomes[K, T]) pop() (i int, c *cell[T], ok bool) {
	if os.oldest == 0 {
		return 0, nil, false
	}
	i = int(os.oldest) - 1
	c = os.cells.at(i)
	if os.oldest = c.next; os.oldest == 0 {
		os.newest = 0
	}
	return i, c, true
}
