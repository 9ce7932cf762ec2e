package scheduler

import (
	"context"
	"fmt"
	"time"

	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/reactor"
)

// Run runs main as the main coroutine of a new Scheduler, on the calling
// goroutine, and returns when it and every coroutine it left behind have ended.
// The error is main's, joined with every failure that nobody handled.
//
// The end of ctx shuts down gracefully; then, as after [Scheduler.Shutdown], Run
// returns nil where main returned nil or its own cancellation.
//
//go:noinline
func Run(ctx context.Context, main func(context.Context) error, opts ...Option) error {
	return New(opts...).run(ctx, main, gid.CallerPC())
}

// Run is the function Run on s. A Scheduler runs once: a second call is an error
// that matches [ErrFinished].
//
//go:noinline
func (s *Scheduler) Run(ctx context.Context, main func(context.Context) error) error {
	return s.run(ctx, main, gid.CallerPC())
}

func (s *Scheduler) run(ctx context.Context, main func(context.Context) error, pc uintptr) error {
	if ctx == nil || main == nil {
		misuse("Run with a nil ctx or main")
	}
	if !s.enterPhase(idle, looping) {
		return fmt.Errorf("scheduler: run for a second time: %w", ErrFinished)
	}
	if err := s.openReactor(); err != nil {
		s.enterPhase(looping, ended)
		s.closeInbox()
		return err
	}
	self := gid.Get()
	s.carriers.Put(self, &carrier{gid: self, stack: s.root.stack})
	s.startWatchdog()
	s.begin(s.root)

	s.tick.stamp = s.stampAt(time.Now())
	s.runCtx = ctx
	base := ctx
	if ctx.Done() != nil {
		base = context.WithoutCancel(ctx)
	}
	s.main = s.newCoroutine(s.scope, newBase(base), pc, main)
	s.copyStarters(s.main)
	s.main.launch()
	stop := func() bool { return true }
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, func() { s.Shutdown(context.Cause(ctx)) })
	}
	s.loopToTheEnd(func() {
		stop()
		s.tearDown()
		s.carriers.Delete(self)
	})
	return s.result()
}

// loopToTheEnd is loop, and afterwards calls tearDown: also where a callback has
// called runtime.Goexit on this goroutine, which then does not return from Run.
// What that leaves is unwound first.
func (s *Scheduler) loopToTheEnd(tearDown func()) {
	over := false
	defer func() {
		if !over {
			s.begin(s.root)
			s.cleanUp()
			s.scope.finish()
		}
		tearDown()
	}()
	s.loop()
	over = true
}

// enterPhase moves the scheduler from one phase to the next, where it is in that.
func (s *Scheduler) enterPhase(from, to uint32) bool {
	s.life.Lock()
	defer s.life.Unlock()
	return s.phase.CompareAndSwap(from, to)
}

func (s *Scheduler) openReactor() error {
	s.quiet.unref = true
	if s.reactor != nil {
		return nil
	}
	opts := []reactor.Option{reactor.WithOutside(s.outsidePending)}
	if s.cfg.clock != nil {
		opts = append(opts, reactor.WithClock(s.cfg.clock))
	}
	r, err := reactor.New(opts...)
	if err != nil {
		return fmt.Errorf("scheduler: no reactor: %w", err)
	}
	s.inbox.mu.Lock()
	s.reactor = r // enqueue looks for it
	s.inbox.mu.Unlock()
	return nil
}

// outsidePending reports whether work is under way that the reactor cannot see
// and that will certainly end.
func (s *Scheduler) outsidePending() bool {
	return s.offloads.busy > 0 || s.outside > 0
}

// loop is what the root does: it enters coroutine after coroutine, until none is
// left, and deals with what no coroutine can.
func (s *Scheduler) loop() {
	for {
		n := s.next()
		if n != s.root {
			s.enter(n)
			continue
		}
		s.begin(s.root)
		switch {
		case s.end.wantsFinal:
			s.cleanUp()
		case s.live > 0:
			s.deadlock()
		default:
			s.scope.finish()
			if s.live == 0 && s.ready.Len() == 0 {
				return
			}
		}
	}
}

// tearDown frees what the scheduler has, once its coroutines have ended.
func (s *Scheduler) tearDown() {
	s.stopOffloads()
	s.enterPhase(looping, ended)
	s.closeInbox()
	s.abandonOffloads()
	s.scope.reportKept() // what was settled too late for its own scope
	s.micro.Discard()
	if s.end.grace != nil {
		s.end.grace.Stop()
	}
	s.stopWatchdog()
	if err := s.reactor.Close(); err != nil {
		s.end.failures = append(s.end.failures, err)
	}
	s.starting = nil
	s.pool.Close()
}
