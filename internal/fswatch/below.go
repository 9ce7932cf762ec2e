//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fswatch

import (
	"path/filepath"
	"strings"
)

const separator = string(filepath.Separator)

// below is name in dir, where dir stays as it was given.
func below(dir, name string) string {
	if strings.HasSuffix(dir, separator) {
		return dir + name
	}
	return dir + separator + name
}
