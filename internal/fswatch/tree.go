//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fswatch

import "github.com/trueasync/trueasync-go/internal/sys"

// tree is what is known of the watched path. Its nodes hang together by name, so
// that a directory moves with all that is below it.
//
// Invariants: a node is in the entries of its directory under its name, unless it
// is lost or dead; every node with an ID but the root is in byID until it is dead.
type tree struct {
	root      *node
	recursive bool
	byID      map[sys.ID][]*node // several where a file has several names
}

// node is a name in the tree, and what is behind it.
type node struct {
	in   *node  // its directory; nil for the root
	name string // the root's is the watched path
	sys.Vnode
	fd      int              // -1 where it is not watched
	entries map[string]*node // of a directory that is looked into, else nil
	notes   uint32           // that have not been told

	dirty bool // in kqueue.dirty
	lost  bool // its directory has it no more; it may turn up elsewhere
	fresh bool // to be told as created
	dead  bool // forgotten
}

func newTree(path string, recursive bool) tree {
	return tree{
		root:      &node{name: path, fd: -1},
		recursive: recursive,
		byID:      make(map[sys.ID][]*node),
	}
}

// path is where n is.
func (t *tree) path(n *node) string {
	if n.in == nil {
		return n.name
	}
	return below(t.path(n.in), n.name)
}

// reachable reports whether n's path leads to it: that neither it nor a directory
// above it is lost.
func (n *node) reachable() bool {
	for ; n != nil; n = n.in {
		if n.lost || n.dead {
			return false
		}
	}
	return true
}

// contains reports whether m is n, or below it.
func (n *node) contains(m *node) bool {
	for ; m != nil; m = m.in {
		if m == n {
			return true
		}
	}
	return false
}

func (n *node) depth() (d int) {
	for ; n.in != nil; n = n.in {
		d++
	}
	return d
}

// is reports whether v is what n was when it was last seen. That inodes are not
// used again holds for what is open; for the rest, the kind tells a little.
func (n *node) is(v sys.Vnode) bool { return n.ID == v.ID && n.Dir == v.Dir && n.File == v.File }

// add puts a node into the tree.
func (t *tree) add(in *node, name string, v sys.Vnode) *node {
	n := &node{in: in, name: name, Vnode: v, fd: -1}
	in.entries[name] = n
	if v.ID != (sys.ID{}) {
		t.byID[v.ID] = append(t.byID[v.ID], n)
	}
	return n
}

// drop forgets a node that is in no directory any more.
func (t *tree) drop(n *node) {
	n.dead = true
	same := t.byID[n.ID]
	for i, m := range same {
		if m == n {
			same = append(same[:i], same[i+1:]...)
			break
		}
	}
	if t.byID[n.ID] = same; len(same) == 0 {
		delete(t.byID, n.ID)
	}
}
