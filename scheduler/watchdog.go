package scheduler

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog looks, from a goroutine of its own, whether the loop moves on. It does
// where it comes by slowNext or looks at the reactor, which is counted in beats, and
// where the reactor waits.
type watchdog struct {
	s      *Scheduler
	beats  atomic.Uint64
	holder atomic.Pointer[holder]
	root   *holder
	quit   chan struct{}
	gone   sync.WaitGroup
}

// holder is who has the loop.
type holder struct {
	id        uint64 // 0 is no coroutine
	name      string
	goroutine string // the head of its stack trace: "goroutine 7 "
}

func (h *holder) String() string {
	switch {
	case h.id == 0:
		return "a callback"
	case h.name == "":
		return fmt.Sprintf("coroutine %d", h.id)
	}
	return fmt.Sprintf("coroutine %d %q", h.id, h.name)
}

// startWatchdog is called on the root.
func (s *Scheduler) startWatchdog() {
	if s.cfg.watchdog == 0 || s.cfg.logger == nil {
		return
	}
	s.dog = &watchdog{s: s, root: &holder{goroutine: goroutineHead()}, quit: make(chan struct{})}
	s.dog.holder.Store(s.dog.root)
	s.dog.gone.Go(s.dog.run)
}

func (s *Scheduler) stopWatchdog() {
	if s.dog != nil {
		close(s.dog.quit)
		s.dog.gone.Wait()
	}
}

// run reports each holding of the loop once, when it has lasted long enough.
func (d *watchdog) run() {
	limit := d.s.cfg.watchdog
	tick := time.NewTicker(max(limit/4, time.Millisecond))
	defer tick.Stop()
	seen, since, reported := d.beats.Load(), time.Now(), false
	for {
		select {
		case <-d.quit:
			return
		case <-tick.C:
		}
		beats := d.beats.Load()
		switch {
		case beats != seen || d.s.reactor.Waiting():
			seen, since, reported = beats, time.Now(), false
		case !reported && time.Since(since) >= limit:
			reported = true
			d.report(time.Since(since))
		}
	}
}

func (d *watchdog) report(held time.Duration) {
	h := d.holder.Load()
	d.s.cfg.logger.Warn(h.String()+" holds the loop", "for", held, "stack", string(stackOf(h.goroutine)))
}

// beat notes that the loop has come by, and that c goes on next: one that has not
// started says so itself.
func (d *watchdog) beat(c *Coroutine) {
	d.beats.Add(1)
	switch {
	case c == d.s.root:
		d.holder.Store(d.root)
	case c.x != nil && c.x.holder != nil:
		d.holder.Store(c.x.holder)
	}
}

// started notes that c runs on k from now on.
func (d *watchdog) started(c *Coroutine, k *carrier) {
	if k.head == nil {
		head := goroutineHead()
		k.head = &head
	}
	c.extra().holder = &holder{c.id, c.Name(), *k.head}
	d.holder.Store(c.x.holder)
}

// goroutineHead is how the stack trace of the calling goroutine begins.
func goroutineHead() string {
	var buf [64]byte
	head, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("["))
	return string(head)
}

// stackOf is the stack trace that begins with head.
func stackOf(head string) []byte {
	buf := make([]byte, 64<<10)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	for trace := range bytes.SplitSeq(buf, []byte("\n\n")) {
		if bytes.HasPrefix(trace, []byte(head)) {
			return trace
		}
	}
	return nil
}
