package aio

import (
	"context"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/fswatch"
	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// FSOp is a set of changes.
type FSOp uint32

// The changes.
const (
	FSCreate = FSOp(fswatch.Create)
	FSWrite  = FSOp(fswatch.Write)
	FSRemove = FSOp(fswatch.Remove)
	FSRename = FSOp(fswatch.Rename) // the path is the old name; under the new one there is an FSCreate
	FSChmod  = FSOp(fswatch.Chmod)  // permissions, owner, times, or the count of names
)

// String names the changes: "create|write".
func (op FSOp) String() string {
	var names []string
	for i, name := range [...]string{"create", "write", "remove", "rename", "chmod"} {
		if op&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "|")
}

// FSEvent is one change; Path begins with the watched path.
type FSEvent struct {
	Path string
	Op   FSOp
}

// ErrOverflow: changes came faster than they were asked for, and some are lost; or, on
// a system with kqueue, the process had no descriptor left for something new.
var ErrOverflow = fswatch.ErrOverflow

// Watcher reports changes under a file or directory, by inotify or kqueue. Its
// methods are safe from any goroutine.
type Watcher struct {
	handle
	path string

	// The loop's.
	source fswatch.Source
	ready  *reactor.Poll
	found  ring.Ring[fswatch.Report]
	gone   bool                        // the path
	nexts  int                         // calls of Next under way; the last one closes
	over   *scheduler.Future[struct{}] // settled by Close
	end    *scheduler.Resolver[struct{}]
}

// Watch reports what happens from now on to the file path, or in the directory
// path, and, where that is asked for, in the directories below it, those that come
// later included. For its ctx see [Listen]. When the path itself goes that is the
// last change.
//
// A change may be reported twice, as where a directory and what is in it appear at
// once. The watcher closes with its loop.
//
// On macOS and the BSDs the system does not say what has changed in a directory, so
// directories are compared with what was in them before. What happens between two
// looks is told by its outcome: many writes as one, and a file that has come and gone
// not at all; of two files nobody knows which came first. A file that comes with
// something in it is said to be written to as well. Everything watched takes a
// descriptor: where there are not enough of them at the start, the error matches
// EMFILE; for ones that run out later see [ErrOverflow]. Files that may not be read,
// and what is no file, are known by name only.
//
// On other systems the error matches errors.ErrUnsupported.
func Watch(ctx context.Context, path string, recursive bool) (*Watcher, error) {
	return watch(ctx, path, recursive, fswatch.New)
}

func watch(ctx context.Context, path string, recursive bool, begin func(string, bool) (fswatch.Source, error)) (*Watcher, error) {
	w, err := open(ctx, func(ctx context.Context) (*Watcher, error) {
		source, err := background(ctx, func(context.Context) (fswatch.Source, error) {
			return begin(path, recursive)
		}, func(source fswatch.Source) { _ = source.Close() })
		if err != nil {
			return nil, err
		}
		return newWatcher(ctx, path, source)
	})
	return w, pathError("watch", path, err)
}

func newWatcher(ctx context.Context, path string, source fswatch.Source) (*Watcher, error) {
	s := scheduler.Current(ctx).Scheduler()
	// As a file, what is read is read off the loop: that takes looks at directories.
	io, err := s.Reactor().NewFile(source.Fd(), func(int) syscall.Errno { return source.Close() })
	if err != nil {
		_ = source.Close()
		return nil, err
	}
	w := &Watcher{path: path, source: source}
	w.init(s, io, "watch")
	if w.ready, err = s.Reactor().NewPoll(source.Fd(), reactor.Readable); err != nil {
		_ = w.close()
		return nil, err
	}
	w.over, w.end = scheduler.NewFuture[struct{}](ctx)
	return w, nil
}

// Next suspends until something has changed, and returns the changes one by one, in
// the order in which they happened; for its ctx see [Listen]. Interrupted, it loses
// none. Where the system had to drop changes it fails once with [ErrOverflow]; after
// the path itself has gone, with an error that matches os.ErrNotExist.
func (w *Watcher) Next(ctx context.Context) (FSEvent, error) {
	ev, err := open(ctx, w.next)
	return ev, pathError("watch", w.path, err)
}

func (w *Watcher) next(ctx context.Context) (FSEvent, error) {
	c := scheduler.Current(ctx)
	if c.Scheduler() != w.s {
		return FSEvent{}, scheduler.ErrForeignGoroutine
	}
	w.nexts++
	defer func() {
		if w.nexts--; w.nexts == 0 && w.over.Done() {
			_ = w.closeNow()
		}
	}()
	for {
		if w.closed.Load() {
			return FSEvent{}, net.ErrClosed
		}
		if w.gone {
			return FSEvent{}, os.ErrNotExist
		}
		if found, ok := w.found.PopFront(); ok {
			w.gone = found.Err == os.ErrNotExist
			return FSEvent{found.Path, FSOp(found.Op)}, found.Err
		}
		if fired, err := scheduler.Suspend(ctx, w.over, w.ready); err != nil || fired == reactor.Event(w.over) {
			return FSEvent{}, orClosed(err)
		}
		if err := w.read(c); err != nil {
			return FSEvent{}, err
		}
	}
}

func orClosed(err error) error {
	if err == nil {
		return net.ErrClosed
	}
	return err
}

// read takes what the system has to report. It is not interrupted: what it has taken
// is nowhere else.
func (w *Watcher) read(c *scheduler.Coroutine) error {
	var found []fswatch.Report
	a := call{kind: file, calm: true, do: func(int) (n int, err error) {
		found, err = w.source.Read()
		return len(found), err
	}}
	err := w.in.suspend(c, &a)
	for _, report := range found {
		w.found.PushBack(report)
	}
	return err
}

// Close ends the watching: whoever is in Next, or calls it later, gets an error that
// matches os.ErrClosed, as does a second Close. It never waits.
func (w *Watcher) Close() error {
	if !w.closed.CompareAndSwap(false, true) {
		return pathError("close", w.path, errClosed)
	}
	stop := func() {
		_ = w.end.Complete(struct{}{})
		if w.nexts == 0 {
			_ = w.closeNow()
		}
	}
	if w.s.OnLoop() {
		stop()
	} else if w.s.Post(stop) != nil {
		return pathError("close", w.path, errClosed)
	}
	return nil
}
