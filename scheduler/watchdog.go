package scheduler

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog looks, from a goroutine of its own, whether the loop moves on. The
// loop counts its switches in beats, at each of which it comes by slowNext; an odd
// number says that it waits for the reactor and may take its time.
type watchdog struct {
	s      *Scheduler
	beats  atomic.Uint64
	holder atomic.Pointer[holder]
	quit   chan struct{}
	gone   sync.WaitGroup
}

// holder is who has the loop.
type holder struct {
	id        uint64
	name      string
	goroutine []byte // the head of its stack trace: "goroutine 7 "
}

func (s *Scheduler) startWatchdog() {
	if s.cfg.watchdog == 0 || s.cfg.logger == nil {
		return
	}
	s.dog = &watchdog{s: s, quit: make(chan struct{})}
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
		case beats != seen || beats%2 == 1:
			seen, since, reported = beats, time.Now(), false
		case !reported && time.Since(since) >= limit:
			reported = true
			d.report(time.Since(since))
		}
	}
}

func (d *watchdog) report(held time.Duration) {
	h := d.holder.Load()
	if h == nil {
		return
	}
	name := fmt.Sprintf("coroutine %d", h.id)
	if h.name != "" {
		name += fmt.Sprintf(" %q", h.name)
	}
	d.s.cfg.logger.Warn(name+" holds the loop", "for", held, "stack", string(stackOf(h.goroutine)))
}

// beat notes that the loop has come by, and that c goes on next.
func (d *watchdog) beat(c *Coroutine) {
	d.beats.Add(2)
	if c.x != nil {
		d.holder.Store(c.x.holder)
	}
}

// started notes that c runs on k from now on.
func (d *watchdog) started(c *Coroutine, k *carrier) {
	if k.head == nil {
		k.head = goroutineHead()
	}
	c.extra().holder = &holder{c.id, c.Name(), k.head}
	d.holder.Store(c.x.holder)
}

// idle calls wait, in which the loop may take its time.
func (d *watchdog) idle(wait func()) {
	d.beats.Add(1)
	wait()
	d.beats.Add(1)
}

// goroutineHead is how the stack trace of the calling goroutine begins.
func goroutineHead() []byte {
	var buf [64]byte
	head, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("["))
	return bytes.Clone(head)
}

// stackOf is the stack trace that begins with head.
func stackOf(head []byte) []byte {
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
		if bytes.HasPrefix(trace, head) {
			return trace
		}
	}
	return nil
}
