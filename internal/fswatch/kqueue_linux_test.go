package fswatch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/fswatch"
	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

func TestFilesOfADirectory(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.write("old", "old") })
	tr.expect()
	tr.write("x", "f")
	tr.expect("create f", "write f")
	tr.write("y", "f")
	tr.write("", "g")
	tr.expect("create g", "write f")
	require.NoError(t, os.Chmod(tr.at("f"), 0o644))
	tr.write("more", "old")
	tr.expect("chmod f", "write old")
	tr.rename("f", "h")
	tr.expect("rename f", "create h")
	tr.write("after", "h")
	tr.expect("write h")
	tr.remove("g")
	tr.remove("h")
	tr.expect("remove g", "remove h")
	require.Equal(t, []string{".", "old"}, tr.watched(), "what is gone is not kept open")
}

// A file that is cut has only its attributes noted, but its size tells.
func TestCutFile(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.write("long", "f") })
	require.NoError(t, os.Truncate(tr.at("f"), 1))
	tr.expect("write|chmod f")
}

func TestWhatIsBetweenTwoLooksIsNotTold(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.write("", "f") })
	tr.write("", "brief")
	tr.remove("brief")
	tr.rename("f", "g")
	tr.rename("g", "f")
	for range 10 {
		tr.write("again", "f")
	}
	tr.expect("write f")
}

// What is written to a file before it goes is told under the name it had, before
// it moves under the one it gets.
func TestWrittenAndGone(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.write("", "a"); tr.write("", "b") })
	tr.write("x", "a")
	tr.remove("a")
	tr.write("x", "b")
	tr.rename("b", "c")
	tr.expect("write a", "remove a", "rename b", "create c", "write c")
}

func TestReplacedFile(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.write("", "f"); tr.write("", "new") })
	tr.rename("new", "f")
	tr.expect("remove f", "rename new", "create f")
	tr.write("x", "f")
	tr.expect("write f")
	tr.remove("f")
	tr.write("", "f")
	tr.expect("remove f", "create f")
}

func TestNamesThatAreExchanged(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.write("", "a"); tr.write("", "b") })
	require.NoError(t, unix.Renameat2(unix.AT_FDCWD, tr.at("a"), unix.AT_FDCWD, tr.at("b"), unix.RENAME_EXCHANGE))
	tr.expect("rename a", "rename b", "create a", "create b")
	tr.write("x", "a")
	tr.expect("write a")
}

// More names of one file are told each, and the file's changes under each.
func TestHardLinks(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) { tr.write("", "a"); tr.mkdir("sub") })
	require.NoError(t, os.Link(tr.at("a"), tr.at("sub", "b")))
	tr.expect("create sub/b", "chmod a")
	tr.write("x", "a")
	require.ElementsMatch(t, []string{"write a", "write sub/b"}, tr.told())
	tr.remove("a")
	tr.expect("remove a", "chmod sub/b")
	tr.write("more", "sub", "b")
	tr.expect("write sub/b")
}

func TestDirectoriesBelow(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) { tr.mkdir("old") })
	tr.write("", "old", "f")
	tr.expect("create old/f")
	tr.mkdir("new", "deeper")
	tr.write("", "new", "deeper", "early")
	tr.expect("create new", "create new/deeper", "create new/deeper/early")
	tr.write("", "new", "deeper", "late")
	tr.expect("create new/deeper/late")
	require.NoError(t, os.Chmod(tr.at("new", "deeper"), 0o711))
	tr.expect("chmod new/deeper")
	tr.remove("old")
	tr.expect("remove old/f", "remove old")
}

func TestDirectoryThatIsNotLookedInto(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.mkdir("sub") })
	tr.write("x", "sub", "f")
	tr.expect()
	require.NoError(t, os.Chmod(tr.at("sub"), 0o711))
	tr.expect("chmod sub")
	tr.rename("sub", "bus")
	tr.expect("rename sub", "create bus")
}

// What is in a directory that moves is told under its new name, also what moves
// out of it, or comes, at the same time.
func TestDirectoryThatMoves(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) {
		tr.mkdir("x", "d", "e")
		tr.mkdir("z")
		tr.write("", "x", "d", "stays")
		tr.write("", "x", "d", "leaves")
		tr.write("", "x", "d", "e", "deep")
	})
	tr.rename("x/d/leaves", "z/left")
	tr.rename("x/d", "y")
	tr.write("", "y", "comes")
	tr.rename("z", "y/e/z")
	require.Equal(t, []string{
		"rename x/d", "rename y/leaves", "rename z",
		"create y", "create y/comes", "create y/e", "create y/e/deep", "create y/e/z", "create y/e/z/left", "create y/stays",
	}, tr.told())
	tr.write("x", "y", "e", "z", "left")
	tr.expect("write y/e/z/left")
}

func TestDirectoriesThatSwapPlaces(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) { tr.mkdir("x", "d", "e"); tr.write("", "x", "d", "e", "f") })
	tr.rename("x/d/e", "e")
	tr.rename("x/d", "e/d")
	tr.rename("e", "x/e")
	tr.expect("rename x/d/e", "rename x/d", "create x/e", "create x/e/d", "create x/e/f")
	tr.write("x", "x", "e", "f")
	tr.expect("write x/e/f")
}

// What moves out of a directory before that is removed is told before that.
func TestDirectoryThatIsRemovedWhenItsFileHasMoved(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) { tr.mkdir("d"); tr.write("", "d", "f") })
	tr.rename("d/f", "g")
	tr.remove("d")
	tr.expect("rename d/f", "remove d", "create g")
}

// Two directories have changed places, another has come in the place of the outer
// one, and the note of the inner one, which holds both, comes first: what it shows
// cannot be, and waits for the other notes.
func TestInnermostNoteFirst(t *testing.T) {
	tr := &tree{t: t, dir: t.TempDir()}
	tr.mkdir("x", "d", "e")
	queue := &slow{Queue: newQueue(t)}
	source, err := fswatch.NewKqueue(queue, tr.dir, true)
	require.NoError(t, err)
	defer source.Close()
	inner := tr.descriptorOf("x", "d", "e")
	queue.pick = func(held []poll.Kevent) int {
		return max(0, slices.IndexFunc(held, func(ev poll.Kevent) bool { return ev.Fd == inner }))
	}
	b := &names{t: t, dir: tr.dir, once: true, told: map[string]fswatch.Op{}}
	b.have = b.there()
	tr.rename("x/d/e", "e")
	tr.rename("x/d", "e/d")
	tr.mkdir("x", "d")
	tr.rename("e", "x/d/e")
	for again := true; again; again = len(queue.held) > 0 || readable(t, source.Fd()) {
		b.read(source)
	}
	require.Equal(t, b.there(), b.have)
}

func TestWhatLeavesTheTree(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) { tr.mkdir("d"); tr.write("", "d", "f"); tr.write("", "g") })
	out := t.TempDir()
	require.NoError(t, os.Rename(tr.at("d"), filepath.Join(out, "d")))
	require.NoError(t, os.Rename(tr.at("g"), filepath.Join(out, "g")))
	tr.expect("rename d", "rename g")
	require.Equal(t, []string{"."}, tr.watched())
	require.NoError(t, os.Rename(filepath.Join(out, "d"), tr.at("back")))
	tr.expect("create back", "create back/f")
}

// What is no file is known by name, and opening it blocks nothing.
func TestWhatIsNoFile(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) {
		tr.mkdir("d")
		require.NoError(t, unix.Mkfifo(tr.at("fifo"), 0o600))
	})
	require.Equal(t, []string{".", "d"}, tr.watched())
	require.NoError(t, os.Symlink("d", tr.at("link")))
	require.NoError(t, unix.Mkfifo(tr.at("d", "fifo"), 0o600))
	tr.expect("create link", "create d/fifo")
	tr.rename("fifo", "d/moved")
	tr.remove("link")
	tr.expect("rename fifo", "remove link", "create d/moved")
}

func TestMoreThanOneRetrievalHolds(t *testing.T) {
	const files = 300
	name := func(i int) string { return "f" + strconv.Itoa(i) }
	tr := newTree(t, false, func(tr *tree) {
		for i := range files {
			tr.write("", name(i))
		}
	})
	want := map[string]bool{}
	for i := range files {
		tr.write("x", name(i))
		want["write "+name(i)] = true
	}
	for _, told := range tr.told() {
		require.True(t, want[told], told)
		delete(want, told)
	}
	require.Empty(t, want)
}

func TestTheWatchedPathGoes(t *testing.T) {
	for what, c := range map[string]struct {
		do   func(tr *tree)
		want []string
	}{
		"removed":            {func(tr *tree) { tr.remove("d") }, []string{"remove d/s/f", "remove d/s", "remove d", "end"}},
		"moved":              {func(tr *tree) { tr.rename("d", "e") }, []string{"rename d", "end"}},
		"moved and replaced": {func(tr *tree) { tr.rename("d", "e"); tr.mkdir("d") }, []string{"rename d", "end"}},
	} {
		t.Run(what, func(t *testing.T) {
			tr := &tree{t: t, dir: t.TempDir()}
			tr.mkdir("d", "s")
			tr.write("", "d", "s", "f")
			tr.watch(tr.at("d"), true)
			c.do(tr)
			tr.expect(c.want...)
			require.Empty(t, tr.watched())
		})
	}
}

func TestTheWatchedFileGoes(t *testing.T) {
	for what, c := range map[string]struct {
		do   func(tr *tree)
		want []string
	}{
		"removed":  {func(tr *tree) { tr.write("x", "f"); tr.remove("f") }, []string{"write f", "remove f", "end"}},
		"moved":    {func(tr *tree) { tr.rename("f", "g") }, []string{"rename f", "end"}},
		"replaced": {func(tr *tree) { tr.write("", "g"); tr.rename("g", "f") }, []string{"remove f", "end"}},
	} {
		t.Run(what, func(t *testing.T) {
			tr := &tree{t: t, dir: t.TempDir()}
			tr.write("", "f")
			require.NoError(t, os.Symlink("f", tr.at("link")))
			tr.watch(tr.at("f"), true)
			c.do(tr)
			tr.expect(c.want...)
		})
	}
}

// Another name of the watched file may go: it is still there.
func TestAnotherNameOfTheWatchedFileGoes(t *testing.T) {
	tr := &tree{t: t, dir: t.TempDir()}
	tr.write("", "f")
	require.NoError(t, os.Link(tr.at("f"), tr.at("g")))
	tr.watch(tr.at("f"), false)
	tr.remove("g")
	tr.expect("chmod f")
	tr.write("x", "f")
	tr.expect("write f")
}

func TestTheWatchedPathMayBeALink(t *testing.T) {
	tr := &tree{t: t, dir: t.TempDir()}
	tr.mkdir("d")
	require.NoError(t, os.Symlink("d", tr.at("link")))
	tr.watch(tr.at("link")+"/", false)
	tr.write("", "d", "f")
	tr.expect("create link/f")
}

func TestWhatCannotBeWatched(t *testing.T) {
	noDescriptorStays(t)
	dir := t.TempDir()
	_, err := fswatch.NewKqueue(newQueue(t), filepath.Join(dir, "none"), false)
	require.ErrorIs(t, err, os.ErrNotExist)
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	_, err = fswatch.NewKqueue(newQueue(t), fifo, false)
	require.ErrorIs(t, err, syscall.ENOTSUP)
}

// limit has the opening of files fail when left is used up.
func limit(t *testing.T, errno syscall.Errno) (left *atomic.Int32) {
	t.Helper()
	left = new(atomic.Int32)
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallOpen && left.Add(-1) < 0 {
			f.Errno = errno
		}
		return f
	}))
	return left
}

// Each descriptor in turn is the one too many: the start fails, and leaves nothing.
func TestTooFewDescriptorsToStartWith(t *testing.T) {
	noDescriptorStays(t)
	tr := &tree{t: t, dir: t.TempDir()}
	tr.mkdir("d")
	tr.write("", "d", "f")
	left := limit(t, syscall.EMFILE)
	const needed = 5 // two directories are opened, and read, and one file is opened
	for n := range needed {
		left.Store(int32(n))
		_, err := fswatch.NewKqueue(newQueue(t), tr.dir, true)
		require.ErrorIs(t, err, syscall.EMFILE, "%d", n)
	}
	left.Store(needed)
	tr.watch(tr.dir, true)
}

// Descriptors run out later: what has come is told by name where that can be seen,
// the loss once, and what was missed when there are descriptors again.
func TestTooFewDescriptorsLater(t *testing.T) {
	tr := newTree(t, true, nil)
	left := limit(t, syscall.ENFILE)
	left.Store(1) // for the directory to be read
	tr.mkdir("d")
	tr.write("", "d", "unseen")
	tr.write("", "f")
	reports, err := tr.source.Read()
	require.NoError(t, err)
	require.ErrorIs(t, reports[len(reports)-1].Err, syscall.ENFILE)
	require.ErrorIs(t, reports[len(reports)-1].Err, fswatch.ErrOverflow)
	require.ErrorContains(t, reports[len(reports)-1].Err, "too many open files")
	require.Len(t, reports, 3) // d and f have come, and more
	tr.expect()
	left.Store(100)
	tr.write("x", "f")
	require.Equal(t, []string{"create d/unseen", "write f"}, tr.told())
	left.Store(0)
	tr.write("", "d", "more")
	tr.expect("overflow")
	left.Store(100)
	tr.expect("create d/more")
}

// What is lacking may go, or move, before there are descriptors again.
func TestWhatIsLackingGoes(t *testing.T) {
	tr := newTree(t, true, func(tr *tree) { tr.mkdir("sub") })
	left := limit(t, syscall.EMFILE)
	left.Store(1)
	tr.write("", "gone")
	tr.write("", "moved")
	tr.expect("create gone", "create moved", "overflow")
	tr.remove("gone")
	tr.rename("moved", "sub/here")
	left.Store(100)
	require.ElementsMatch(t, []string{"remove gone", "rename moved", "create sub/here"}, tr.told())
	tr.write("x", "sub", "here")
	tr.expect("write sub/here")
}

// script has calls end as fails says, one after the other.
func script(t *testing.T, fails *[]syscall.Errno, calls ...sys.Call) {
	t.Helper()
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if slices.Contains(calls, c) && len(*fails) > 0 {
			f.Errno, *fails = (*fails)[0], (*fails)[1:]
		}
		return f
	}))
}

// What goes while it is lacking is no loss any more, so that the next one is told.
func TestEachLossIsToldOnce(t *testing.T) {
	tr := newTree(t, false, nil)
	var fails []syscall.Errno
	script(t, &fails, sys.CallOpen)
	for _, name := range []string{"a", "b"} {
		tr.write("", name)
		fails = []syscall.Errno{0, syscall.EMFILE} // the directory is read
		require.Equal(t, []string{"create " + name, "overflow"}, tr.told())
		tr.remove(name)
		fails = []syscall.Errno{syscall.EMFILE, 0}
		require.Equal(t, []string{"remove " + name}, tr.told())
	}
}

// Of what goes, the note of the directory may come before its own, or after it.
func TestOrderOfNotes(t *testing.T) {
	for _, op := range []string{"remove f", "rename f"} {
		for _, first := range []string{".", "f"} {
			t.Run(op+", "+first+" first", func(t *testing.T) {
				tr := &tree{t: t, dir: t.TempDir()}
				out := t.TempDir()
				tr.write("", "f")
				queue := &slow{Queue: newQueue(t)}
				source, err := fswatch.NewKqueue(queue, tr.dir, false)
				require.NoError(t, err)
				defer source.Close()
				tr.source = source
				fd := tr.descriptorOf(first)
				queue.pick = func(held []poll.Kevent) int {
					return slices.IndexFunc(held, func(ev poll.Kevent) bool { return ev.Fd == fd })
				}
				if op == "remove f" {
					tr.remove("f")
				} else {
					require.NoError(t, os.Rename(tr.at("f"), filepath.Join(out, "f")))
				}
				require.Equal(t, []string{op}, tr.told())
			})
		}
	}
}

// Registering fails as it may: with EINTR it is done again; where the file system
// has no notes, names are all there is.
func TestRegistrationThatFails(t *testing.T) {
	tr := newTree(t, false, nil)
	var fails []syscall.Errno
	script(t, &fails, sys.CallRegister, sys.CallWait)
	tr.write("", "f")
	fails = []syscall.Errno{syscall.EINTR, 0, syscall.EINTR, 0}
	tr.expect("create f")
	require.Equal(t, []string{".", "f"}, tr.watched())
	tr.write("", "g")
	fails = []syscall.Errno{0, syscall.EOPNOTSUPP}
	tr.expect("create g")
	require.Equal(t, []string{".", "f"}, tr.watched())
	tr.write("", "h")
	fails = []syscall.Errno{0, syscall.ENOMEM}
	require.Equal(t, []string{"create h", "overflow"}, tr.told())
	require.Empty(t, tr.told())
	require.Equal(t, []string{".", "f", "h"}, tr.watched(), "tried again")
	fails = []syscall.Errno{syscall.EOPNOTSUPP}
	_, err := fswatch.NewKqueue(newQueue(t), tr.dir, false)
	require.ErrorIs(t, err, syscall.EOPNOTSUPP)
	fails = []syscall.Errno{syscall.EBADF}
	_, err = tr.source.Read()
	require.ErrorIs(t, err, syscall.EBADF)
}

// A file is replaced between the look at its directory and its opening: what has
// come instead is told next, and nothing wrong is kept open.
func TestFileReplacedBeforeItIsOpened(t *testing.T) {
	tr := newTree(t, false, func(tr *tree) { tr.mkdir("aside") })
	opened := 0
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallOpen {
			if opened++; opened == 2 { // the first reads the directory
				tr.rename("f", "aside/f")
				require.NoError(t, unix.Mkfifo(tr.at("f"), 0o600))
			}
		}
		return f
	}))
	tr.write("", "f")
	require.Equal(t, []string{"create f"}, tr.told())
	require.Equal(t, []string{".", "aside"}, tr.watched())
	tr.expect("remove f", "create f")
}
