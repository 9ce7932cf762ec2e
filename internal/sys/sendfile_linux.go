package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// CanSendFile reports whether SendFile can do anything.
const CanSendFile = true

// SendFile sends up to max bytes of a file, from its place on, to a non-blocking
// socket. It may block on the file. 0 bytes without an error are the file's end.
func SendFile(socket, file, max int) (int, syscall.Errno) {
	for {
		n, e := consult(CallWrite, socket, min(max, maxRW))
		if e == 0 {
			n, e = result(unix.Sendfile(socket, file, nil, n))
		}
		if e != unix.EINTR {
			return count(n, e)
		}
	}
}
