//go:build !linux

package aio

import (
	"errors"
	"fmt"
	"runtime"
)

// fsSource is what this system has to watch files with: nothing that is used here.
type fsSource struct{ fd int }

func newFSSource(string, bool) (*fsSource, error) {
	return nil, fmt.Errorf("aio: watching files on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func (*fsSource) discard() {}

func (*fsSource) read() ([]fsReport, error) { return nil, errors.ErrUnsupported }
