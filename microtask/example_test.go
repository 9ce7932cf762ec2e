package microtask_test

import (
	"errors"
	"fmt"

	"github.com/trueasync/trueasync-go/microtask"
)

func say(what string) func() error {
	return func() error { fmt.Println(what); return nil }
}

// A task that is queued and forgotten.
func Example() {
	var q microtask.Queue
	t := microtask.New(say("ran"), func() { fmt.Println("released") })
	q.Push(t)
	t.Release() // the queue keeps a reference of its own

	ran, err := q.Drain(0)
	fmt.Println(ran, err)
	// Output:
	// ran
	// released
	// 1 <nil>
}

// Whoever may want to take a task back keeps a reference to it.
func ExampleTask_Cancel() {
	var q microtask.Queue
	t := microtask.New(say("never printed"), func() { fmt.Println("released") })
	q.Push(t)

	t.Cancel()
	t.Release()
	fmt.Println("waiting:", q.Len())
	ran, _ := q.Drain(0)
	fmt.Println("ran:", ran)
	// Output:
	// waiting: 1
	// released
	// ran: 0
}

// A task that was cancelled is queued no more.
func ExampleTask_Cancelled() {
	var q microtask.Queue
	flush := microtask.New(say("flush"), nil)
	q.Push(flush)
	fmt.Println(flush.Cancelled())

	flush.Cancel()
	q.Push(flush) // does nothing
	fmt.Println(flush.Cancelled(), q.Len())
	q.Discard()
	flush.Release()
	// Output:
	// false
	// true 1
}

// A task that is used over and over costs no allocation.
func ExampleTask_Retain() {
	flush := microtask.New(say("flush"), func() { fmt.Println("closed") })

	var q microtask.Queue
	flush.Retain() // for a second owner
	q.Push(flush)
	q.Push(flush)
	_, _ = q.Drain(0)

	flush.Release()
	flush.Release()
	// Output:
	// flush
	// flush
	// closed
}

// A budget keeps a busy queue from holding the loop.
func ExampleQueue_Drain_budget() {
	var q microtask.Queue
	for _, name := range []string{"first", "second", "third"} {
		q.Push(&microtask.Task{Handler: say(name)})
	}
	ran, _ := q.Drain(2)
	fmt.Println("ran", ran, "left", q.Len())
	// Output:
	// first
	// second
	// ran 2 left 1
}

// The first error stops a drain.
func ExampleQueue_Drain_error() {
	var q microtask.Queue
	q.Push(&microtask.Task{Handler: func() error { return errors.New("disk full") }})
	q.Push(&microtask.Task{Handler: say("after it")})
	fmt.Println(q.Drain(0))
	fmt.Println(q.Drain(0))
	// Output:
	// 1 disk full
	// after it
	// 1 <nil>
}

// At the end of a loop nothing queued runs, and everything is released.
func ExampleQueue_Discard() {
	var q microtask.Queue
	t := microtask.New(say("never printed"), func() { fmt.Println("released") })
	q.Push(t)
	t.Release()
	fmt.Println(q.Discard())
	// Output:
	// released
	// 1
}
