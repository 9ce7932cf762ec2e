//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package poll

// Open returns the backend of this system.
func Open() (Backend, error) { return nil, ErrUnsupported }
