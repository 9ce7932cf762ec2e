//go:build (amd64 || arm64) && !portable

package gid

// Get returns the identity of the calling goroutine.
func Get() uintptr

// CallerPC returns the return address of the function that calls it. That
// function must not be inlined (//go:noinline).
//
// It is itself a frame between that function and the assembly, so that the
// distance to walk is the same whichever package calls: a call of an assembly
// function from another package goes through a wrapper with a frame of its own.
//
//go:noinline
func CallerPC() uintptr { return callersCallerPC() }

func callersCallerPC() uintptr
