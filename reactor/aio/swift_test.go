//go:build unix && !portable

package aio_test

// portable says that the plain implementations are in use, which allocate.
const portable = false
