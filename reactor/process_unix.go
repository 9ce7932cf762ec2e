//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package reactor

import "github.com/trueasync/trueasync-go/internal/sys"

// watchDescriptor waits for the end of the child through fd, which becomes
// readable then, and owns fd.
func (p *Process) watchDescriptor(fd int) error {
	ready, err := p.r.NewPoll(fd, Readable)
	if err == nil {
		ready.Subscribe(func(err error) {
			switch {
			case p.r.closed:
			case err != nil:
				p.ended(nil, err)
			default:
				p.reap()
			}
		})
		err = ready.Start()
	}
	if err != nil {
		_ = sys.Close(fd)
		return err
	}
	p.unwatch = func() {
		ready.Stop()
		_ = sys.Close(fd)
	}
	return nil
}
