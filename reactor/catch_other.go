//go:build !unix

package reactor

import "os"

// catchable reports whether a program can learn of sig.
func catchable(sig os.Signal) bool { return sig != os.Kill }
