module github.com/trueasync/trueasync-go/reactor/aio/nettest

go 1.25.0

require github.com/trueasync/trueasync-go v0.0.0

require (
	golang.org/x/net v0.50.0
	golang.org/x/sys v0.44.0 // indirect
)

replace github.com/trueasync/trueasync-go => ../../..
