//go:build linux

package sys

// WithoutPwait2 behaves as on kernels before 5.11, until undo.
func WithoutPwait2() (undo func()) {
	before := noPwait2.Swap(true)
	return func() { noPwait2.Store(before) }
}

// Transfer is what reading and writing share.
var Transfer = transfer
