package sys

// Class is what kind of thing a descriptor is.
type Class uint8

// The classes.
const (
	ClassOther    Class = iota // files, directories, devices
	ClassStream                // a socket of bytes
	ClassDatagram              // a socket of messages
	ClassPipe
	ClassTTY
)

// Facts is what Inspect finds out.
type Facts struct {
	Class Class
	TCP   bool // as opposed to a unix socket
	Inet6 bool
}
