package fswatch_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/fswatch"
	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/poll/kqfake"
)

// tree is a temporary directory, and a source that watches it over a fake kernel.
type tree struct {
	t      *testing.T
	dir    string
	source fswatch.Source
}

// at is a path in the directory.
func (tr *tree) at(names ...string) string {
	return filepath.Join(append([]string{tr.dir}, names...)...)
}

func (tr *tree) write(content string, names ...string) {
	tr.t.Helper()
	require.NoError(tr.t, os.WriteFile(tr.at(names...), []byte(content), 0o600))
}

func (tr *tree) mkdir(names ...string) {
	tr.t.Helper()
	require.NoError(tr.t, os.MkdirAll(tr.at(names...), 0o700))
}

func (tr *tree) rename(from, to string) {
	tr.t.Helper()
	require.NoError(tr.t, os.Rename(tr.at(from), tr.at(to)))
}

func (tr *tree) remove(name string) {
	tr.t.Helper()
	require.NoError(tr.t, os.RemoveAll(tr.at(name)))
}

// newTree makes a directory, has fill put something into it, and watches it.
func newTree(t *testing.T, recursive bool, fill func(tr *tree)) *tree {
	t.Helper()
	noDescriptorStays(t)
	tr := &tree{t: t, dir: t.TempDir()}
	if fill != nil {
		fill(tr)
	}
	tr.watch(tr.dir, recursive)
	return tr
}

func (tr *tree) watch(path string, recursive bool) {
	tr.t.Helper()
	source, err := fswatch.NewKqueue(newQueue(tr.t), path, recursive)
	require.NoError(tr.t, err)
	tr.t.Cleanup(func() { require.Zero(tr.t, source.Close()) })
	tr.source = source
}

func newQueue(t *testing.T) poll.Queue {
	t.Helper()
	q, err := kqfake.OpenQueue()
	require.NoError(t, err)
	return q
}

// told reads once, and returns what is told in short: "create|write a/b". The
// directory itself is ".", and it is an error that is none of ErrOverflow and
// os.ErrNotExist.
func (tr *tree) told() []string {
	tr.t.Helper()
	reports, err := tr.source.Read()
	require.NoError(tr.t, err)
	var told []string
	for _, r := range reports {
		switch {
		case r.Err == os.ErrNotExist:
			told = append(told, "end")
		case errors.Is(r.Err, fswatch.ErrOverflow):
			told = append(told, "overflow")
		default:
			require.NoError(tr.t, r.Err)
			rel, err := filepath.Rel(tr.dir, r.Path)
			require.NoError(tr.t, err)
			told = append(told, opName(r.Op)+" "+rel)
		}
	}
	return told
}

func opName(op fswatch.Op) string {
	var names []string
	for i, name := range [...]string{"create", "write", "remove", "rename", "chmod"} {
		if op&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

// expect reads once, and compares. What is told more is told again after that.
func (tr *tree) expect(want ...string) {
	tr.t.Helper()
	require.Equal(tr.t, want, tr.told())
	require.Empty(tr.t, tr.told(), "all was told")
	if !slices.Contains(want, "end") {
		require.False(tr.t, readable(tr.t, tr.source.Fd()))
	}
}

func readable(t *testing.T, fd int) bool {
	t.Helper()
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != unix.EINTR {
			require.NoError(t, err)
			return n > 0
		}
	}
}

// descriptors are those that are open, and what they are of.
func descriptors(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	open := make(map[string]string)
	for _, e := range entries {
		if what, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			open[e.Name()+" "+what] = what
		}
	}
	return open
}

// descriptorOf is the descriptor that is open for a path.
func (tr *tree) descriptorOf(names ...string) int {
	tr.t.Helper()
	for d, what := range descriptors(tr.t) {
		if what == tr.at(names...) {
			number, _, _ := strings.Cut(d, " ")
			fd, err := strconv.Atoi(number)
			require.NoError(tr.t, err)
			return fd
		}
	}
	require.Fail(tr.t, "not open", "%v", names)
	return -1
}

// noDescriptorStays fails t where some are left at its end, beside those that the
// runtime opens for itself.
func noDescriptorStays(t *testing.T) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.SetReadDeadline(time.Now().Add(time.Hour)))
	require.NoError(t, errors.Join(r.Close(), w.Close()))
	before := descriptors(t)
	t.Cleanup(func() {
		after := descriptors(t)
		maps.DeleteFunc(after, func(d, _ string) bool { _, had := before[d]; return had })
		require.Empty(t, after)
	})
}

// watched are the paths in dir that a descriptor is open for, in order.
func (tr *tree) watched() (paths []string) {
	tr.t.Helper()
	for _, what := range descriptors(tr.t) {
		if rel, err := filepath.Rel(tr.dir, what); err == nil && !strings.HasPrefix(rel, "..") && strings.HasPrefix(what, "/") {
			paths = append(paths, rel)
		}
	}
	slices.Sort(paths)
	return paths
}

// slow is a queue whose events come late, in any order, and one by one.
type slow struct {
	poll.Queue
	held []poll.Kevent
	pick func(held []poll.Kevent) int
}

func (q *slow) Kevent(change *poll.Kevent, events []poll.Kevent, timeout time.Duration) (int, syscall.Errno) {
	if change != nil {
		return q.Queue.Kevent(change, nil, timeout)
	}
	more := make([]poll.Kevent, 1000)
	n, errno := q.Queue.Kevent(nil, more, timeout)
	if errno != 0 {
		return 0, errno
	}
	q.held = append(q.held, more[:n]...)
	if len(q.held) == 0 || len(events) == 0 {
		return 0, 0
	}
	i := q.pick(q.held)
	events[0] = q.held[i]
	q.held = slices.Delete(q.held, i, i+1)
	return 1, 0
}
