// Package microtask is the FIFO queue of small callbacks that run between two
// coroutine switches, on the stack of whichever coroutine is giving way.
//
// A microtask costs no coroutine and no switch. It must be short: it holds the
// loop while it runs.
//
// A [Task] is the callback, a [Queue] the line it waits in:
//
//	var q microtask.Queue
//	t := microtask.New(func() error {
//		fmt.Println("between two switches")
//		return nil
//	}, nil)
//	q.Push(t)   // the queue has a reference of its own
//	t.Release() // the caller's, no longer needed
//	q.Drain(0)
//
// Tasks and queues belong to one loop: nothing here is safe for concurrent
// use, nothing locks, and nothing suspends.
package microtask
