//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package poll

// Desc is a descriptor known to a backend, of which there is none here.
type Desc struct{}

type opState struct{}

// Open fails with ErrUnsupported.
func Open() (Backend, error) { return nil, ErrUnsupported }
