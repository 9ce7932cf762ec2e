//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package poll

// Desc is a descriptor known to a backend, of which there is none here.
type Desc struct{}

// opState is what a backend keeps of a request: here nothing.
type opState struct{}

var _ = Op{}.opState

// Open fails with ErrUnsupported.
func Open() (Backend, error) { return nil, ErrUnsupported }
