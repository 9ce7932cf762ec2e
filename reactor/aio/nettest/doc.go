// Package nettest holds package aio to what golang.org/x/net/nettest demands of
// every net.Conn. It is a module of its own, so that x/net is no dependency.
package nettest
