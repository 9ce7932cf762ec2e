//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package reactor

// watchDescriptor waits for the end of the child through fd, which becomes readable
// then. It has fd closed by free, also where it fails.
func (p *Process) watchDescriptor(fd int, free func()) error {
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
		free()
		return err
	}
	p.unwatch = func() {
		ready.Stop()
		free()
	}
	return nil
}
