package aio

import (
	"sync"

	"github.com/trueasync/trueasync-go/internal/sys"
)

const (
	// pipeSize is how much is moved at once. The system grants it to pipesLimit of
	// an ordinary user's pipes.
	pipeSize = 256 << 10
	// pipeLeast is the least that a pipe must hold to be better than a buffer: the
	// system cuts those of a user short who has many.
	pipeLeast = 64 << 10
	// pipesLimit is how many pipes the process has at once: each is two descriptors,
	// and memory of the system's that nobody else can have. Where there are no more
	// the program copies by itself.
	pipesLimit = 64
)

// splicePipe is what bytes pass through between two descriptors.
type splicePipe struct{ r, w, size int }

// splicePipes has the pipes that are not in use, all of which are empty, for as long
// as anybody copies at all. Without relays there are no idle pipes, so that nothing
// outlives the loops that it was for.
type splicePipes struct {
	sync.Mutex
	relays int // that may come for a pipe
	made   int // and not closed
	idle   []*splicePipe
}

var pipes splicePipes

// enter is called by who may come for a pipe until it calls leave.
func (ps *splicePipes) enter() {
	ps.Lock()
	defer ps.Unlock()
	ps.relays++
}

func (ps *splicePipes) leave() {
	ps.Lock()
	defer ps.Unlock()
	if ps.relays--; ps.relays > 0 {
		return
	}
	for _, p := range ps.idle {
		ps.close(p)
	}
	ps.idle = nil
}

// take returns an empty pipe, nil where there is none to be had.
func (ps *splicePipes) take() *splicePipe {
	ps.Lock()
	defer ps.Unlock()
	if last := len(ps.idle) - 1; last >= 0 {
		p := ps.idle[last]
		ps.idle[last] = nil
		ps.idle = ps.idle[:last]
		return p
	}
	if ps.made == pipesLimit {
		return nil
	}
	r, w, size, errno := sys.OpenPipe(pipeSize)
	if errno != 0 {
		return nil
	}
	p := &splicePipe{r, w, min(size, pipeSize)}
	ps.made++
	if size < pipeLeast {
		ps.close(p)
		return nil
	}
	return p
}

// give takes back an empty pipe.
func (ps *splicePipes) give(p *splicePipe) {
	ps.Lock()
	defer ps.Unlock()
	ps.idle = append(ps.idle, p)
}

// drop closes a pipe that is not empty, or may not be.
func (ps *splicePipes) drop(p *splicePipe) {
	ps.Lock()
	defer ps.Unlock()
	ps.close(p)
}

func (ps *splicePipes) close(p *splicePipe) {
	ps.made--
	_ = sys.Close(p.r)
	_ = sys.Close(p.w)
}
