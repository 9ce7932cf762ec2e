package aio_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// watchFunc is Watch, by one means or the other.
type watchFunc func(ctx context.Context, path string, recursive bool) (*aio.Watcher, error)

// byEitherMeans runs main on a loop, by inotify and by kqueue.
func byEitherMeans(t *testing.T, main func(t *testing.T, ctx context.Context, watch watchFunc) error) {
	for means, watch := range map[string]watchFunc{"inotify": aio.Watch, "kqueue": aio.WatchByKqueue} {
		t.Run(means, func(t *testing.T) {
			run(t, func(ctx context.Context) error { return main(t, ctx, watch) })
		})
	}
}

// until takes changes until all that are wanted have come, in any order.
func until(t testing.TB, ctx context.Context, w *aio.Watcher, want ...aio.FSEvent) {
	t.Helper()
	missing := make(map[aio.FSEvent]bool)
	for _, ev := range want {
		missing[ev] = true
	}
	for len(missing) > 0 {
		ev, err := w.Next(ctx)
		require.NoError(t, err, "missing %v", missing)
		for m := range missing {
			if m.Path == ev.Path && ev.Op&m.Op == m.Op {
				delete(missing, m)
			}
		}
	}
}

func TestWatchADirectory(t *testing.T) {
	byEitherMeans(t, func(t *testing.T, ctx context.Context, watch watchFunc) error {
		dir := t.TempDir()
		w, err := watch(ctx, dir, false)
		require.NoError(t, err)
		file, moved := filepath.Join(dir, "f"), filepath.Join(dir, "g")
		require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
		until(t, ctx, w, aio.FSEvent{Path: file, Op: aio.FSCreate}, aio.FSEvent{Path: file, Op: aio.FSWrite})
		require.NoError(t, os.Chmod(file, 0o644))
		until(t, ctx, w, aio.FSEvent{Path: file, Op: aio.FSChmod})
		require.NoError(t, os.Rename(file, moved))
		until(t, ctx, w, aio.FSEvent{Path: file, Op: aio.FSRename}, aio.FSEvent{Path: moved, Op: aio.FSCreate})
		require.NoError(t, os.Remove(moved))
		until(t, ctx, w, aio.FSEvent{Path: moved, Op: aio.FSRemove})
		require.NoError(t, w.Close())
		_, err = w.Next(ctx)
		require.ErrorIs(t, err, os.ErrClosed)
		require.ErrorIs(t, w.Close(), os.ErrClosed)
		return nil
	})
}

func TestWatchRecursively(t *testing.T) {
	byEitherMeans(t, func(t *testing.T, ctx context.Context, watch watchFunc) error {
		dir := t.TempDir()
		old := filepath.Join(dir, "old")
		require.NoError(t, os.Mkdir(old, 0o700))
		w, err := watch(ctx, dir, true)
		require.NoError(t, err)
		defer w.Close()
		inOld := filepath.Join(old, "f")
		require.NoError(t, os.WriteFile(inOld, nil, 0o600))
		until(t, ctx, w, aio.FSEvent{Path: inOld, Op: aio.FSCreate})

		// What is in a new directory is reported, also what was there first.
		deep := filepath.Join(dir, "new", "deeper")
		require.NoError(t, os.MkdirAll(deep, 0o700))
		early := filepath.Join(deep, "early")
		require.NoError(t, os.WriteFile(early, nil, 0o600))
		until(t, ctx, w, aio.FSEvent{Path: filepath.Dir(deep), Op: aio.FSCreate},
			aio.FSEvent{Path: deep, Op: aio.FSCreate}, aio.FSEvent{Path: early, Op: aio.FSCreate})
		late := filepath.Join(deep, "late")
		require.NoError(t, os.WriteFile(late, nil, 0o600))
		until(t, ctx, w, aio.FSEvent{Path: late, Op: aio.FSCreate})

		// A directory that moves is known by its new name.
		moved := filepath.Join(dir, "moved")
		require.NoError(t, os.Rename(filepath.Dir(deep), moved))
		until(t, ctx, w, aio.FSEvent{Path: filepath.Dir(deep), Op: aio.FSRename}, aio.FSEvent{Path: moved, Op: aio.FSCreate})
		again := filepath.Join(moved, "deeper", "again")
		require.NoError(t, os.WriteFile(again, nil, 0o600))
		until(t, ctx, w, aio.FSEvent{Path: again, Op: aio.FSCreate})
		require.NoError(t, os.RemoveAll(old))
		until(t, ctx, w, aio.FSEvent{Path: inOld, Op: aio.FSRemove}, aio.FSEvent{Path: old, Op: aio.FSRemove})
		return nil
	})
}

func TestWatchAFileThatGoes(t *testing.T) {
	byEitherMeans(t, func(t *testing.T, ctx context.Context, watch watchFunc) error {
		file := filepath.Join(t.TempDir(), "f")
		_, err := watch(ctx, file, false)
		require.ErrorIs(t, err, os.ErrNotExist)
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		w, err := watch(ctx, file, false)
		require.NoError(t, err)
		defer w.Close()
		require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
		until(t, ctx, w, aio.FSEvent{Path: file, Op: aio.FSWrite})
		require.NoError(t, os.Remove(file))
		until(t, ctx, w, aio.FSEvent{Path: file, Op: aio.FSRemove})
		for range 2 {
			_, err = w.Next(ctx)
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		return nil
	})
}

// Whoever waits is woken by Close, and by the end of a ctx.
func TestWatchEnds(t *testing.T) {
	byEitherMeans(t, func(t *testing.T, ctx context.Context, watch watchFunc) error {
		w, err := watch(ctx, t.TempDir(), false)
		require.NoError(t, err)
		waits := func(want error) *scheduler.Coroutine {
			c := scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := w.Next(ctx)
				require.ErrorIs(t, err, want)
				return nil
			})
			require.NoError(t, scheduler.Yield(ctx))
			return c
		}
		cancelled := waits(context.Canceled)
		cancelled.Cancel(nil)
		require.NoError(t, cancelled.Await(ctx))
		one, two := waits(net.ErrClosed), waits(net.ErrClosed)
		require.NoError(t, w.Close())
		require.NoError(t, one.Await(ctx))
		return two.Await(ctx)
	})
}

// The watcher closes with its loop, whoever waits for it or reads for it then.
func TestWatcherOfALoopThatEnds(t *testing.T) {
	for _, recursive := range []bool{false, true} {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700))
		byEitherMeans(t, func(t *testing.T, ctx context.Context, watch watchFunc) error {
			w, err := watch(ctx, dir, recursive)
			require.NoError(t, err)
			scheduler.Go(ctx, func(ctx context.Context) error {
				for {
					if _, err := w.Next(ctx); err != nil {
						return err
					}
				}
			})
			require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o600))
			scheduler.Current(ctx).Scheduler().Shutdown(nil)
			return nil
		})
	}
}

// Descriptors that run out are an error at the start, and a loss later.
func TestWatchWithoutDescriptors(t *testing.T) {
	run(t, func(ctx context.Context) error {
		dir := t.TempDir()
		w, err := aio.WatchByKqueue(ctx, dir, false)
		require.NoError(t, err)
		defer w.Close()
		undo := sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
			if c == sys.CallOpen {
				f.Errno = syscall.EMFILE
			}
			return f
		})
		defer undo()
		_, err = aio.WatchByKqueue(ctx, dir, false)
		require.ErrorIs(t, err, syscall.EMFILE)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), nil, 0o600))
		_, err = w.Next(ctx)
		require.ErrorIs(t, err, aio.ErrOverflow)
		require.ErrorIs(t, err, syscall.EMFILE)
		undo()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "g"), nil, 0o600))
		until(t, ctx, w, aio.FSEvent{Path: filepath.Join(dir, "f"), Op: aio.FSCreate},
			aio.FSEvent{Path: filepath.Join(dir, "g"), Op: aio.FSCreate})
		return nil
	})
}

// More than the system keeps: the loss is told, once, and what comes after is
// reported again.
func TestWatchOverflows(t *testing.T) {
	run(t, func(ctx context.Context) error {
		dir := t.TempDir()
		w, err := aio.Watch(ctx, dir, false)
		require.NoError(t, err)
		defer w.Close()
		file := filepath.Join(dir, "f")
		limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
		require.NoError(t, err)
		n, err := strconv.Atoi(strings.TrimSpace(string(limit)))
		require.NoError(t, err)
		for range n/2 + 1000 { // no two in a row are alike, so none is merged with another
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			require.NoError(t, os.Remove(file))
		}
		for err == nil {
			_, err = w.Next(ctx)
		}
		require.ErrorIs(t, err, aio.ErrOverflow)
		last := filepath.Join(dir, "last")
		require.NoError(t, os.WriteFile(last, nil, 0o600))
		until(t, ctx, w, aio.FSEvent{Path: last, Op: aio.FSCreate})
		return nil
	})
}

func TestFSOpString(t *testing.T) {
	require.Equal(t, "create|chmod", (aio.FSCreate | aio.FSChmod).String())
	require.Equal(t, "none", aio.FSOp(0).String())
}
