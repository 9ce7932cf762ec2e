package fswatch_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/fswatch"
	"github.com/trueasync/trueasync-go/internal/poll"
)

// names is what somebody who believes the reports takes for being there.
type names struct {
	t    *testing.T
	dir  string
	once bool // nothing is told as created twice
	have map[string]bool
	told map[string]fswatch.Op // since the last round
}

func (b *names) take(reports []fswatch.Report) {
	for _, r := range reports {
		require.NoError(b.t, r.Err)
		b.told[r.Path] |= r.Op
		switch {
		case r.Op&fswatch.Create != 0:
			require.False(b.t, b.once && b.have[r.Path], "created twice: %s", r.Path)
			if dir := filepath.Dir(r.Path); dir != b.dir {
				require.True(b.t, b.have[dir], "created in nothing: %s", r.Path)
			}
			b.have[r.Path] = true
		case r.Op&(fswatch.Remove|fswatch.Rename) != 0:
			delete(b.have, r.Path)
			for p := range b.have {
				if strings.HasPrefix(p, r.Path+"/") {
					require.NotZero(b.t, r.Op&fswatch.Rename, "removed before what is in it: %s", p)
					delete(b.have, p)
				}
			}
		}
	}
}

// there is what is there.
func (b *names) there() map[string]bool {
	all := map[string]bool{}
	require.NoError(b.t, filepath.WalkDir(b.dir, func(path string, _ fs.DirEntry, err error) error {
		if path != b.dir {
			all[path] = true
		}
		return err
	}))
	return all
}

// disorder does something to the tree, at random; what does not work is no concern.
type disorder struct {
	*rand.Rand
	dir string
	out string // another directory
}

func (d *disorder) path() string {
	p := d.dir
	for range 1 + d.IntN(3) {
		p = filepath.Join(p, string(rune('a'+d.IntN(4))))
	}
	return p
}

func (d *disorder) step() {
	p := d.path()
	switch d.IntN(12) {
	case 0, 1, 2:
		f, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0o600)
		if err == nil {
			fmt.Fprint(f, strings.Repeat("x", d.IntN(10)))
			f.Close()
		}
	case 3, 4:
		_ = os.Mkdir(p, 0o700)
	case 5, 6, 7:
		_ = os.Rename(p, d.path())
	case 8:
		if _, err := os.Lstat(p); err == nil { // else RemoveAll would wait for a FIFO above it
			_ = os.RemoveAll(p)
		}
	case 9:
		_ = os.Link(p, d.path())
	case 10:
		if d.IntN(2) == 0 {
			_ = os.Symlink("a", p)
		} else {
			_ = unix.Mkfifo(p, 0o600)
		}
	case 11:
		aside := filepath.Join(d.out, string(rune('a'+d.IntN(3))))
		if d.IntN(2) == 0 {
			p, aside = aside, p
		}
		_ = os.Rename(p, aside)
	}
}

// Whatever is done to a tree, who goes by the reports knows in the end what is there.
func TestRandomChanges(t *testing.T) {
	for seed := range uint64(20) {
		var d *disorder
		for means, begin := range map[string]func(t *testing.T) (source fswatch.Source, late func() bool){
			"inotify": func(t *testing.T) (fswatch.Source, func() bool) {
				source, err := fswatch.New(d.dir, true)
				require.NoError(t, err)
				return source, func() bool { return false }
			},
			"kqueue": func(t *testing.T) (fswatch.Source, func() bool) {
				source, err := fswatch.NewKqueue(newQueue(t), d.dir, true)
				require.NoError(t, err)
				return source, func() bool { return false }
			},
			"kqueue, late": func(t *testing.T) (fswatch.Source, func() bool) {
				queue := &slow{Queue: newQueue(t), pick: func(held []poll.Kevent) int { return d.IntN(len(held)) }}
				source, err := fswatch.NewKqueue(queue, d.dir, true)
				require.NoError(t, err)
				return source, func() bool { return len(queue.held) > 0 }
			},
		} {
			t.Run(fmt.Sprintf("%s, seed %d", means, seed), func(t *testing.T) {
				noDescriptorStays(t)
				d = newDisorder(t, seed)
				for range 20 {
					d.step()
				}
				source, late := begin(t)
				defer func() { require.Zero(t, source.Close()) }()
				b := &names{t: t, dir: d.dir, once: means != "inotify"}
				b.have = b.there()
				for range 40 {
					b.round(d, source, late)
				}
			})
		}
	}
}

func newDisorder(t *testing.T, seed uint64) *disorder {
	return &disorder{rand.New(rand.NewPCG(seed, 1)), t.TempDir(), t.TempDir()}
}

// round does some things, and reads what is told of them.
func (b *names) round(d *disorder, source fswatch.Source, late func() bool) {
	b.told = map[string]fswatch.Op{}
	for range 1 + d.IntN(12) {
		d.step()
		if d.IntN(8) == 0 {
			b.read(source)
		}
	}
	written := d.write()
	for again := true; again; again = readable(b.t, source.Fd()) || late() {
		b.read(source)
	}
	require.Equal(b.t, b.there(), b.have)
	if written != "" {
		require.NotZero(b.t, b.told[written]&(fswatch.Write|fswatch.Create), written)
	}
}

func (b *names) read(source fswatch.Source) {
	reports, err := source.Read()
	require.NoError(b.t, err)
	b.take(reports)
}

// write writes to a file that is there, and returns its path, if there is one.
func (d *disorder) write() string {
	var files []string
	_ = filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	if len(files) == 0 {
		return ""
	}
	path := files[d.IntN(len(files))]
	if err := os.WriteFile(path, []byte(fmt.Sprint(d.IntN(1000))), 0o600); err != nil {
		panic(err) // nobody else is at work here
	}
	return path
}
