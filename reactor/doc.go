// Package reactor turns readiness and completion reported by the operating
// system into events. It wraps epoll on Linux and kqueue on macOS and the BSDs,
// knows nothing of coroutines, and can be driven by hand with Execute.
//
// # Events
//
// Everything that can be waited for is an [Event]: a [Timer], the readiness of
// a descriptor ([Poll]), a [Signal], the end of a child ([Process]), a resolved
// name ([Lookup]), a [Request] under way on an [IO] handle. An event is created
// idle and costs nothing until it is started. Starts are counted, so that
// several parties may share one event. Whoever wants to know subscribes; the
// subscribers are called on the loop.
//
//	r, err := reactor.New()
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	t := r.NewTimer(time.Second, 0)
//	t.Subscribe(func(error) { fmt.Println("a second has passed") })
//	t.Start()
//	for r.Alive() {
//		if _, err := r.Execute(false); err != nil {
//			return err
//		}
//	}
//
// # The loop
//
// The loop is whichever goroutine calls [Reactor.Execute]; everything but
// [Reactor.Wake] and [Reactor.Waiting] belongs to it. One tick collects what the
// system reports, completes requests, handles what other goroutines have finished,
// and fires the timers that are due, each in its order. What is due is gathered
// before the first of it is fired, so that nothing that re-arms itself can hold up
// the rest.
//
// A reactor takes nothing from the system before it must: it opens no
// descriptor before one is watched, and until then it waits on Go's own timers,
// so that it works on the fake time of testing/synctest.
//
// # Input and output
//
// An operation on an [IO] handle is tried at once. Where the system has the data,
// or the room, the Request that it returns has completed already and nobody
// waits; where not, the reactor carries the operation out as soon as the
// descriptor allows. Requests can be reused, so that reading and writing
// allocate nothing. Operations on regular files, and look-ups, would block the
// loop: they run on goroutines of their own, a bounded number of each.
package reactor
