//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package poll

// opState is what the readiness backend keeps of a request.
type opState struct {
	desc       *Desc
	in         *queue // where it waits
	next, prev *Op
	connecting bool // begun, and to be asked about
}

// queue holds requests in order. A request is in at most one.
type queue struct{ head, tail *Op }

func (q *queue) push(op *Op) {
	op.in, op.prev, op.next = q, q.tail, nil
	if q.tail == nil {
		q.head = op
	} else {
		q.tail.next = op
	}
	q.tail = op
}

func (q *queue) remove(op *Op) {
	if op.prev == nil {
		q.head = op.next
	} else {
		op.prev.next = op.next
	}
	if op.next == nil {
		q.tail = op.prev
	} else {
		op.next.prev = op.prev
	}
	op.in, op.next, op.prev = nil, nil, nil
}
