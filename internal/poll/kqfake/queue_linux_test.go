package kqfake_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/poll/kqfake"
)

func openQueue(t *testing.T) poll.Queue {
	t.Helper()
	q, err := kqfake.OpenQueue()
	require.NoError(t, err)
	t.Cleanup(q.Close)
	return q
}

func watch(t *testing.T, q poll.Queue, fd int, flags poll.Flags, notes uint32) {
	t.Helper()
	_, errno := q.Kevent(&poll.Kevent{Fd: fd, Filter: poll.FilterVnode, Flags: flags, Fflags: notes}, nil, 0)
	require.Zero(t, errno)
}

// taken are the notes that there are, by descriptor.
func taken(t *testing.T, q poll.Queue, room int) map[int]uint32 {
	t.Helper()
	events := make([]poll.Kevent, room)
	n, errno := q.Kevent(nil, events, 0)
	require.Zero(t, errno)
	notes := map[int]uint32{}
	for _, ev := range events[:n] {
		require.Equal(t, poll.FilterVnode, ev.Filter)
		notes[ev.Fd] = ev.Fflags
	}
	return notes
}

func create(t *testing.T, path string) (*os.File, int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f, int(f.Fd())
}

func TestNotesGatherUntilTheyAreRetrieved(t *testing.T) {
	q, path := openQueue(t), filepath.Join(t.TempDir(), "f")
	f, fd := create(t, path)
	watch(t, q, fd, poll.FlagAdd|poll.FlagClear, poll.NoteAny)
	require.Empty(t, taken(t, q, 8))
	_, err := f.WriteString("x")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.Rename(path, path+"2"))
	require.Equal(t, map[int]uint32{fd: poll.NoteWrite | poll.NoteExtend | poll.NoteAttrib | poll.NoteRename}, taken(t, q, 8))
	require.Empty(t, taken(t, q, 8), "EV_CLEAR")
	require.NoError(t, os.Remove(path+"2"))
	require.Equal(t, map[int]uint32{fd: poll.NoteDelete | poll.NoteLink}, taken(t, q, 8))
	_, err = f.WriteString("more")
	require.NoError(t, err)
	require.Equal(t, map[int]uint32{fd: poll.NoteWrite | poll.NoteExtend}, taken(t, q, 8), "it is still open")
}

func TestNotesStayWithoutClear(t *testing.T) {
	q := openQueue(t)
	f, fd := create(t, filepath.Join(t.TempDir(), "f"))
	watch(t, q, fd, poll.FlagAdd, poll.NoteWrite)
	_, err := f.WriteString("x")
	require.NoError(t, err)
	for range 2 {
		require.Equal(t, map[int]uint32{fd: poll.NoteWrite}, taken(t, q, 8), "only what was asked for")
	}
	watch(t, q, fd, poll.FlagDelete, 0)
	require.Empty(t, taken(t, q, 8))
	_, errno := q.Kevent(&poll.Kevent{Fd: fd, Filter: poll.FilterVnode, Flags: poll.FlagDelete}, nil, 0)
	require.Equal(t, syscall.ENOENT, errno)
}

func TestKnotesGoWithTheirDescriptors(t *testing.T) {
	q, dir := openQueue(t), t.TempDir()
	f, fd := create(t, filepath.Join(dir, "f"))
	g, other := create(t, filepath.Join(dir, "g"))
	for _, fd := range []int{fd, other} {
		watch(t, q, fd, poll.FlagAdd|poll.FlagClear, poll.NoteAny)
	}
	for _, f := range []*os.File{f, g} {
		_, err := f.WriteString("x")
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	require.Equal(t, map[int]uint32{other: poll.NoteWrite | poll.NoteExtend}, taken(t, q, 8))
}

func TestDirectoriesAndRoomForOneEvent(t *testing.T) {
	q, dir := openQueue(t), t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	d, err := os.Open(dir)
	require.NoError(t, err)
	defer d.Close()
	s, err := os.Open(sub)
	require.NoError(t, err)
	defer s.Close()
	for _, f := range []*os.File{d, s} {
		watch(t, q, int(f.Fd()), poll.FlagAdd|poll.FlagClear, poll.NoteAny)
	}
	require.NoError(t, os.Remove(sub))
	all := taken(t, q, 1)
	require.Len(t, all, 1)
	for fd, notes := range taken(t, q, 1) {
		all[fd] = notes
	}
	require.Equal(t, map[int]uint32{
		int(d.Fd()): poll.NoteWrite | poll.NoteLink,
		int(s.Fd()): poll.NoteDelete | poll.NoteLink,
	}, all)
	_, errno := q.Kevent(&poll.Kevent{Fd: int(d.Fd()), Filter: poll.FilterRead, Flags: poll.FlagAdd}, nil, 0)
	require.Equal(t, syscall.EINVAL, errno)
}
