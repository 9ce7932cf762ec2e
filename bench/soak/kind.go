package main

// kind is what the two ends of a connection do.
type kind uint64

const (
	echo   kind = iota // the server reads, looks, and sends back
	copied             // the server copies the connection to itself
	acks               // several write frames, which the server acknowledges
	silent             // the client opens it and does no more; the server gives up
	kinds
)

func (k kind) String() string {
	return [...]string{"echo", "copied", "acks", "silent"}[k]
}
