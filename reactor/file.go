package reactor

import (
	"io"
	"net"
	"os"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// fileQueue carries out the operations on one regular file, one at a time and
// in order, on goroutines of the reactor's file pool: no system says when a
// disk would not block.
type fileQueue struct {
	io      *IO
	free    func(fd int) syscall.Errno // closes the descriptor
	current *fileJob                   // begun
	waiting []*fileJob
}

// fileWorkers is how many file operations a reactor has under way at once.
// They block a thread each.
const fileWorkers = 32

// fileJob is one operation on its way. Between begin and complete its outcome
// is the worker's; everything else stays with the loop.
type fileJob struct {
	queue     *fileQueue
	request   *Request
	do        func(fd int) (int, error)
	closes    bool
	cancelled error // what the request ends with, whatever the operation gives

	worked bool
	n      int
	err    error
}

// transfer begins q, a read or a write.
func (f *fileQueue) transfer(q *Request) {
	b := q.op.Buf
	switch q.op.Kind {
	case poll.Read:
		f.add(q, func(fd int) (int, error) { return readFile(fd, b) }, false)
	default:
		f.add(q, func(fd int) (int, error) { return writeFile(fd, b) }, false)
	}
}

// Do starts fn on a goroutine where it may block, with the descriptor of a File
// handle, in order with the other operations on the handle; its count and error
// are the request's. fn must not keep or close the descriptor. Handles of other
// types refuse it.
func (io *IO) Do(q *Request, fn func(fd int) (int, error)) {
	if !q.prepare(io, 0) {
		return
	}
	if io.file == nil {
		q.finish(io.wrongType(q))
		return
	}
	io.file.add(q, fn, false)
}

func (f *fileQueue) add(q *Request, do func(fd int) (int, error), closes bool) {
	j := &fileJob{queue: f, request: q, do: do, closes: closes}
	q.file = j
	q.depart()
	f.waiting = append(f.waiting, j)
	f.next()
}

// next begins the next operation, if none is under way.
func (f *fileQueue) next() {
	if f.current != nil || len(f.waiting) == 0 {
		return
	}
	f.current = f.waiting[0]
	f.waiting[0] = nil
	f.waiting = f.waiting[1:]
	f.io.r.begin(&f.io.r.files, f.current)
}

// work implements job.
func (j *fileJob) work() {
	j.n, j.err = j.do(j.queue.io.fd)
	j.worked = true
}

// complete implements job.
func (j *fileJob) complete() {
	f := j.queue
	f.current = nil
	f.next()
	j.request.op.N = max(0, j.n)
	err := j.err
	if j.cancelled != nil {
		err = j.cancelled
	}
	if j.closes {
		f.io.member.leave()
	}
	j.request.arrive(err)
}

// orphaned implements job: the reactor has closed, and with it the handle, but
// for the descriptor that the operation was using.
func (j *fileJob) orphaned() {
	if !j.closes || !j.worked {
		_ = j.queue.free(j.queue.io.fd)
	}
}

// cancel abandons the operation, at once if it has not begun.
func (j *fileJob) cancel() { j.end(errCancelled) }

func (j *fileJob) end(err error) {
	f := j.queue
	j.cancelled = err
	for i, w := range f.waiting {
		if w == j {
			f.waiting = append(f.waiting[:i:i], f.waiting[i+1:]...)
			j.request.arrive(err)
			return
		}
	}
}

// close ends what waits and closes the descriptor after what is under way.
func (f *fileQueue) close(q *Request) {
	if f.current != nil {
		f.current.cancelled = net.ErrClosed
	}
	for len(f.waiting) > 0 {
		f.waiting[0].end(net.ErrClosed)
	}
	f.add(q, func(fd int) (int, error) { return 0, fileError("close", f.free(fd)) }, true)
}

// abandon is called when the reactor closes. An operation under way keeps the
// descriptor until its end, see orphaned; its waiters are told now.
func (f *fileQueue) abandon() {
	current := f.current
	f.current = nil
	if current == nil {
		_ = f.free(f.io.fd)
	} else {
		current.request.arrive(net.ErrClosed)
	}
	for len(f.waiting) > 0 {
		f.waiting[0].end(net.ErrClosed)
	}
}

func readFile(fd int, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, errno := sys.ReadBlocking(fd, b)
	if errno == 0 && n == 0 {
		return 0, io.EOF
	}
	return n, fileError("read", errno)
}

func writeFile(fd int, b []byte) (n int, err error) {
	for n < len(b) {
		m, errno := sys.WriteBlocking(fd, b[n:])
		if errno != 0 {
			return n, fileError("write", errno)
		}
		if m == 0 {
			return n, io.ErrUnexpectedEOF
		}
		n += m
	}
	return n, nil
}

func fileError(call string, errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return os.NewSyscallError(call, errno)
}
