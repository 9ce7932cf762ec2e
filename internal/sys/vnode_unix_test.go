//go:build linux

package sys_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
)

func TestReadDirTellsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	file, sub, link, fifo := filepath.Join(dir, "file"), filepath.Join(dir, "sub"), filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	require.NoError(t, os.WriteFile(file, []byte("abc"), 0o600))
	require.NoError(t, os.Mkdir(sub, 0o700))
	require.NoError(t, os.Symlink("sub", link))
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	self, entries, err := sys.ReadDir(dir, false)
	require.NoError(t, err)
	at, errno := sys.VnodeAt(dir, false)
	require.Zero(t, errno)
	require.Equal(t, at.ID, self.ID)
	require.Len(t, entries, 4)
	require.True(t, entries["file"].File)
	require.EqualValues(t, 3, entries["file"].Size)
	require.True(t, entries["sub"].Dir)
	for _, name := range []string{"link", "fifo"} {
		require.False(t, entries[name].File || entries[name].Dir, name)
	}
	linked, errno := sys.VnodeAt(link, true)
	require.Zero(t, errno)
	require.Equal(t, entries["sub"].ID, linked.ID)

	_, _, err = sys.ReadDir(link, false)
	require.Error(t, err)
	followed, _, err := sys.ReadDir(link, true)
	require.NoError(t, err)
	require.Equal(t, linked.ID, followed.ID)
	_, _, err = sys.ReadDir(file, true)
	require.ErrorIs(t, err, syscall.ENOTDIR)
}

func TestOpenVnodeBlocksOnNothing(t *testing.T) {
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	require.NoError(t, os.Symlink("fifo", link))
	fd, errno := sys.OpenVnode(fifo, false)
	require.Zero(t, errno, "although nobody writes")
	opened, errno := sys.VnodeOf(fd)
	require.Zero(t, errno)
	at, errno := sys.VnodeAt(link, true)
	require.Zero(t, errno)
	require.Equal(t, at.ID, opened.ID)
	require.Zero(t, sys.Close(fd))
	_, errno = sys.OpenVnode(link, false)
	require.Equal(t, syscall.ELOOP, errno)
	_, errno = sys.VnodeOf(-1)
	require.Equal(t, syscall.EBADF, errno)
}

func TestOpeningVnodesFailsAsItIsTold(t *testing.T) {
	defer sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallOpen {
			f.Errno = syscall.EMFILE
		}
		return f
	})()
	_, errno := sys.OpenVnode(t.TempDir(), true)
	require.Equal(t, syscall.EMFILE, errno)
	_, _, err := sys.ReadDir(t.TempDir(), true)
	require.ErrorIs(t, err, syscall.EMFILE)
}
