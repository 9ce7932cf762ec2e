package scheduler

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/trueasync/trueasync-go/reactor"
)

// Option configures a Scheduler.
type Option func(*Scheduler)

// Clock is the scheduler's time. One that also has
//
//	AdvanceTo(t time.Time)
//
// is virtual: it stands still while anything can run, and is moved to the next
// timer when nothing can.
type Clock interface {
	// Now is called on the loop, and on whichever goroutine calls WithTimeout,
	// WithDeadline or Scheduler.Now.
	Now() time.Time
}

// config is what the options set.
type config struct {
	clock    Clock
	logger   *slog.Logger
	grace    time.Duration
	watchdog time.Duration
	workers  int
}

const (
	// DefaultGrace is how long a graceful shutdown waits unless WithGrace says otherwise.
	DefaultGrace = 10 * time.Second
	// DefaultWorkers is the number of offloaded functions that run at once
	// unless WithWorkers says otherwise.
	DefaultWorkers = 64
)

func defaultConfig() config {
	return config{logger: slog.Default(), grace: DefaultGrace, workers: DefaultWorkers}
}

// WithReactor has the scheduler use r, which is the scheduler's from then on and
// closed with it.
func WithReactor(r *reactor.Reactor) Option {
	if r == nil {
		misuse("WithReactor(nil)")
	}
	return func(s *Scheduler) { s.reactor = r }
}

// WithClock has timers, Sleep and timeouts follow c: virtual time. It has no
// effect on a reactor given by WithReactor, which has a clock of its own.
func WithClock(c Clock) Option {
	return func(s *Scheduler) { s.cfg.clock = c }
}

// WithSeed runs the ready coroutines in an order that is permuted, and the same
// for the same seed: round by round, each of those that are ready gets its turn.
// It is for tests, which look for bugs that only another order shows.
func WithSeed(seed uint64) Option {
	return func(s *Scheduler) { s.seed = rand.New(rand.NewPCG(seed, 0)) }
}

// WithLogger has panics, and whatever else nobody may be told otherwise, logged
// to l. The default is slog.Default; nil is silent.
func WithLogger(l *slog.Logger) Option {
	return func(s *Scheduler) { s.cfg.logger = l }
}

// WithGrace limits a graceful shutdown to d: what has not ended by then is
// unwound. 0 or less gives no time to clean up at all. The default is
// [DefaultGrace].
func WithGrace(d time.Duration) Option {
	return func(s *Scheduler) { s.cfg.grace = max(d, 0) }
}

// WithWatchdog has a coroutine that holds the loop for d reported to the logger,
// once each time, with its name and its stack; so is a callback, under the name of
// the coroutine on whose stack it runs. One that holds it for longer than d, but
// for less than half as long again, may go unnoticed. It costs a goroutine and some
// nanoseconds for each switch; without it, nothing.
func WithWatchdog(d time.Duration) Option {
	if d <= 0 {
		misuse("WithWatchdog(%v): the duration must be positive", d)
	}
	return func(s *Scheduler) { s.cfg.watchdog = d }
}

// WithWorkers limits the offloaded functions that run at once to n, which is at
// least 1; see [Offload].
func WithWorkers(n int) Option {
	if n < 1 {
		misuse("WithWorkers(%d): at least 1 is needed", n)
	}
	return func(s *Scheduler) { s.cfg.workers = n }
}
