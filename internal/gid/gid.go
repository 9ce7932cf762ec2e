// Package gid tells goroutines apart, cheaply.
//
// [Get] is the identity of the calling goroutine: equal for two calls exactly
// when they come from the same goroutine, as long as that goroutine lives. On
// amd64 and arm64 it is the address of the runtime's own record of the
// goroutine, which costs a nanosecond; elsewhere, and under the build tag
// portable, it is the number that the runtime prints in a stack trace, which
// costs about a microsecond.
//
// [CallerPC] is where the calling function will return to: the place of a
// spawn, noted without walking the stack.
package gid

import "runtime"

// Place resolves a program counter from [CallerPC] to the function it lies in,
// with its file and line. It is for reports: it costs microseconds.
func Place(pc uintptr) runtime.Frame {
	if pc == 0 {
		return runtime.Frame{}
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return frame
}
