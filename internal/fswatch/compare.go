//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fswatch

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/trueasync/trueasync-go/internal/poll"
	"github.com/trueasync/trueasync-go/internal/sys"
)

// compared is what comes of comparing directories with what they held, until it
// is told.
type compared struct {
	losses []loss
	fresh  []*node
	dirs   []arrival
	files  []arrival
}

// loss is a name that has gone. Where its node turns up elsewhere, it is not lost
// any more, and was renamed.
type loss struct {
	node *node
	path string
}

// arrival is a name that has come.
type arrival struct {
	in   *node
	name string
	sys.Vnode
}

// compare brings the tree to where the file system is, and collects the differences.
// Directories come first, from the top down, so that paths lead somewhere: one that
// has moved is looked into when it has been found again.
func (k *kqueue) compare() {
	for k.lookAround() || len(k.dirs) > 0 {
		dirs := k.dirs
		k.dirs = nil
		for _, a := range dirs {
			k.arrive(a)
		}
	}
	for _, a := range k.files {
		k.arrive(a)
	}
	k.files = nil
	k.dirty, k.later = append(k.dirty, k.later...), nil
}

// lookAround looks at the directories that may have changed and can be reached, and
// reports whether there were any.
func (k *kqueue) lookAround() (looked bool) {
	dirty := k.dirty
	k.dirty = nil
	slices.SortStableFunc(dirty, func(a, b *node) int { return a.depth() - b.depth() })
	for _, n := range dirty {
		switch {
		case n.dead:
		case !n.reachable():
			k.dirty = append(k.dirty, n)
		default:
			looked = true
			k.look(n)
		}
	}
	return looked
}

// look compares a directory with what it held. One that is not where it was, or is
// about to be told as gone, is looked at another time.
func (k *kqueue) look(n *node) {
	self, entries, err := sys.ReadDir(k.path(n), n.in == nil)
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno) && scarce(errno):
		n.dirty = false
		k.lack(n, errno)
		return
	case err != nil || self.ID != n.ID:
		n.dirty = false
		k.postpone(n)
		return
	}
	n.dirty = false
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		if v, ok := entries[name]; !ok || !n.entries[name].is(v) {
			k.lose(n.entries[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if n.entries[name] != nil {
			continue
		}
		a := arrival{n, name, entries[name]}
		if a.Dir {
			k.dirs = append(k.dirs, a)
		} else {
			k.files = append(k.files, a)
		}
	}
}

// postpone has a directory looked at with the next notes, which are on their way.
func (k *kqueue) postpone(n *node) {
	if !n.dirty {
		n.dirty = true
		k.later = append(k.later, n)
	}
}

// lose takes n out of its directory.
func (k *kqueue) lose(n *node) {
	k.losses = append(k.losses, loss{n, k.path(n)})
	delete(n.in.entries, n.name)
	n.lost = true
}

// arrive puts a name that has come into the tree: of what moved there, or of
// something new.
func (k *kqueue) arrive(a arrival) {
	n := k.moved(a)
	switch {
	case n == nil:
		n = k.add(a.in, a.name, a.Vnode)
		if a.File && a.Size > 0 && !k.starts {
			k.note(n, poll.NoteWrite) // perhaps since it came
		}
		k.admit(n)
	case n.contains(a.in):
		k.postpone(a.in) // what was seen has changed since
		return
	default:
		n.in, n.name, n.lost = a.in, a.name, false
		a.in.entries[a.name] = n
		if n.fd < 0 {
			k.admit(n) // on its way it may have been out of reach
		}
	}
	if !k.starts {
		n.fresh = true
		k.fresh = append(k.fresh, n)
	}
}

// admit watches a node.
func (k *kqueue) admit(n *node) {
	if err := k.watch(n); err != nil {
		k.lack(n, err)
	}
}

// moved is what has come to a under another name, and lost that; nil where nothing
// has. Where the other name is still there, it is a second one.
func (k *kqueue) moved(a arrival) *node {
	for _, n := range k.byID[a.ID] {
		switch {
		case !n.is(a.Vnode):
		case n.lost:
			return n
		case !k.stays(n):
			k.lose(n)
			return n
		}
	}
	return nil
}

// stays reports whether n is where it was.
func (k *kqueue) stays(n *node) bool {
	if !n.reachable() {
		return false
	}
	v, errno := sys.VnodeAt(k.path(n), false)
	return errno == 0 && n.is(v)
}

// tell reports names: those that have gone first, since the same may have come again,
// and what was in a directory before the directory.
func (k *kqueue) tell() {
	slices.SortStableFunc(k.losses, func(a, b loss) int { return strings.Count(b.path, separator) - strings.Count(a.path, separator) })
	for _, l := range k.losses {
		switch {
		case l.node.dead: // lost twice
		case !l.node.lost:
			k.report(l.path, Rename)
		default:
			k.departed(l.node, l.path)
			k.forget(l.node)
		}
	}
	for _, n := range k.fresh {
		if n.fresh && n.reachable() {
			k.created(n.topmostFresh())
		}
	}
	k.losses, k.fresh = nil, nil
}

// departure is what took a name of n away that has not turned up anywhere.
func (k *kqueue) departure(n *node) Op {
	if n.notes&(poll.NoteDelete|poll.NoteRename) == poll.NoteDelete || n.fd < 0 {
		return Remove
	}
	if v, errno := sys.VnodeOf(n.fd); errno != 0 || v.Links == 0 {
		return Remove
	}
	return Rename
}

// departed tells that n is not at path any more, and, where it was removed, that
// neither is what was in it.
func (k *kqueue) departed(n *node, path string) {
	op := k.departure(n)
	if op == Remove {
		for _, name := range slices.Sorted(maps.Keys(n.entries)) {
			k.departed(n.entries[name], below(path, name))
		}
	}
	if n.File && n.notes&noteContent != 0 {
		k.report(path, Write)
	}
	k.report(path, op)
}

// forget gives up n and what is below it.
func (k *kqueue) forget(n *node) {
	for _, e := range n.entries {
		k.forget(e)
	}
	if n.fd >= 0 {
		delete(k.open, n.fd)
		_ = sys.Close(n.fd)
		n.fd = -1
	}
	delete(k.short, n)
	k.drop(n)
}

// topmostFresh is the highest of n and the directories above it that is fresh.
func (n *node) topmostFresh() *node {
	top := n
	for ; n != nil; n = n.in {
		if n.fresh {
			top = n
		}
	}
	return top
}

// created tells that n has come, and after that what is in it: also what was known
// under the name that its directory had before.
func (k *kqueue) created(n *node) {
	n.fresh = false
	k.report(k.path(n), Create)
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		k.created(n.entries[name])
	}
}
