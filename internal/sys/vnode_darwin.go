package sys

import "golang.org/x/sys/unix"

// openVnode does not keep a volume from being unmounted.
const openVnode = unix.O_EVTONLY
