//go:build unix && (portable || !(amd64 || arm64))

package aio_test

// portable says that the plain implementations are in use, which allocate.
const portable = true
