//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package poll

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// bsd is the Kernel of macOS and the BSDs. Wake-ups go through a pipe: not
// every one of them has EVFILT_USER.
type bsd struct {
	bsdQueue
	rd, wr int
}

// Open returns the backend of this system.
func Open() (Backend, error) {
	k := &bsd{bsdQueue: bsdQueue{fd: -1}, rd: -1, wr: -1}
	if err := k.pipe(); err != nil {
		k.Close()
		return nil, os.NewSyscallError("pipe", err)
	}
	e, errno := NewKqueue(k)
	if errno != 0 {
		return nil, os.NewSyscallError("kqueue", errno)
	}
	return e, nil
}

// pipe makes the pipe without pipe2, which macOS lacks, and keeps a fork out
// until it is close-on-exec.
func (k *bsd) pipe() error {
	p := make([]int, 2)
	syscall.ForkLock.RLock()
	err := unix.Pipe(p)
	if err == nil {
		k.rd, k.wr = p[0], p[1]
		unix.CloseOnExec(k.rd)
		unix.CloseOnExec(k.wr)
	}
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = unix.SetNonblock(k.rd, true)
	}
	if err == nil {
		err = unix.SetNonblock(k.wr, true)
	}
	return err
}

// WakeFd implements [Kernel].
func (k *bsd) WakeFd() int { return k.rd }

// Poke implements [Kernel]. A full pipe wakes as well.
func (k *bsd) Poke() { _, _ = unix.Write(k.wr, []byte{0}) }

// Drain implements [Kernel].
func (k *bsd) Drain() {
	var b [64]byte
	for {
		if n, err := unix.Read(k.rd, b[:]); n < len(b) && err != unix.EINTR {
			return
		}
	}
}

// Close implements [Kernel].
func (k *bsd) Close() {
	k.bsdQueue.Close()
	for _, fd := range []int{k.rd, k.wr} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}
