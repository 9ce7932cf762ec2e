//go:build portable || !(amd64 || arm64)

package gid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Get returns the identity of the calling goroutine.
func Get() uintptr {
	var buf [64]byte
	head := buf[:runtime.Stack(buf[:], false)]
	head = bytes.TrimPrefix(head, []byte("goroutine "))
	number, _, ok := bytes.Cut(head, []byte(" "))
	id, err := strconv.ParseUint(string(number), 10, 64)
	if !ok || err != nil {
		panic("gid: a stack trace begins with " + strconv.Quote(string(buf[:])))
	}
	return uintptr(id)
}

// CallerPC returns the return address of the function that calls it. That
// function must not be inlined.
func CallerPC() uintptr {
	var pcs [1]uintptr
	// Skipped: Callers, CallerPC, and the function that wants its caller.
	if runtime.Callers(3, pcs[:]) == 0 {
		return 0
	}
	return pcs[0]
}
