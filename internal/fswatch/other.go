//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fswatch

import (
	"errors"
	"fmt"
	"runtime"
)

// New fails with an error that matches errors.ErrUnsupported.
func New(string, bool) (Source, error) {
	return nil, fmt.Errorf("aio: watching files on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
