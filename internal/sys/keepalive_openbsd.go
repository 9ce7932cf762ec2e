package sys

// Here they are the whole system's and not a socket's.
const (
	keepIdle     = 0
	keepInterval = 0
	keepCount    = 0
)
