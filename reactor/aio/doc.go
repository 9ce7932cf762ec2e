// Package aio is the reactor for people who write coroutines: connections,
// listeners, files, processes and signals whose methods suspend the calling
// coroutine instead of blocking its loop. Called from any other goroutine they
// block that goroutine, so that code which knows nothing of coroutines works.
package aio
