//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package reactor

import "os"

func checkChild(*os.Process) error { return nil }

// watch has a goroutine wait for the child. It lasts until the child ends, also
// where nobody waits for the event any more.
func (p *Process) watch() (ended bool, err error) {
	j := &waitJob{process: p}
	p.unwatch = func() { j.process = nil }
	p.r.off.jobs++
	go func() {
		j.state, j.err = p.p.Wait()
		p.r.post(j)
	}()
	return false, nil
}

// waitJob is a child being waited for. Its process is nil once nobody cares.
type waitJob struct {
	process *Process
	state   *os.ProcessState
	err     error
}

func (j *waitJob) work()     {}
func (j *waitJob) orphaned() {}

func (j *waitJob) complete() {
	if j.process != nil {
		j.process.ended(j.state, j.err)
	}
}
