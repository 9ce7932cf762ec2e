package scheduler

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/ctxpool"
	"github.com/trueasync/trueasync-go/internal/gid"
	"github.com/trueasync/trueasync-go/internal/ring"
	"github.com/trueasync/trueasync-go/microtask"
	"github.com/trueasync/trueasync-go/reactor"
)

// Scheduler owns the run queue (a ring buffer), the microtask FIFO, the context
// pool and the reactor of one loop.
//
// Unless a method says otherwise it belongs to the loop: only a coroutine, or a
// callback of the loop, may call it.
type Scheduler struct {
	// The hot part: what a switch touches. Exactly one goroutine of the loop runs, that
	// of running; a coroutine is in ready exactly while it is Created and launched, or
	// Ready.
	ready     ring.Ring[*Coroutine]
	countdown int        // switches until the next tick is more than a pop
	spent     int        // in the turn of running; see Coroutine.Spend
	running   *Coroutine // whose goroutine runs, be it in the middle of a tick
	starting  *Coroutine // what the context that is being entered is to run
	stats     counters

	micro   microtask.Queue
	pool    *ctxpool.Pool
	reactor *reactor.Reactor
	root    *Coroutine // stands for the goroutine that called Run
	tick    tickState
	inbox   inbox
	phase   atomic.Uint32 // idle, looping, ended
	life    sync.Mutex    // held while phase changes

	scope     *Scope // of main; all others are below it
	main      *Coroutine
	runCtx    context.Context
	live      int // coroutines that are neither finished nor the root
	stillborn int // ended in the run queue, and not taken out yet
	nextID    uint64
	carriers  gid.Table[*carrier]
	watches   *watch           // those that wait for the end of a derived ctx
	timers    timerPool        // for Sleep
	quiet     timerPool        // for timeouts, which by themselves hold no loop
	starters  []*SwitchHandler // main-start handlers
	// What keeps a loop with nothing ready from being deadlocked, and is not an
	// event of the reactor.
	holds    int // waits that something the loop does not know of may end
	outside  int // of these, the ones that something will end
	offloads offloads

	end  ending
	cfg  config
	seed *rand.Rand
	dog  *watchdog
}

const (
	idle uint32 = iota
	looping
	ended
)

// New returns a Scheduler that has not run yet.
func New(opts ...Option) *Scheduler {
	s := &Scheduler{cfg: defaultConfig()}
	prepare(s)
	for _, opt := range opts {
		opt(s)
	}
	s.pool = ctxpool.New(ctxpool.DefaultMin)
	s.pool.SetBody(s.carry)
	s.root = &Coroutine{s: s, stack: s.pool.Root(), state: Running}
	s.running = s.root
	s.scope = &Scope{s: s}
	s.tick.window = 1
	return s
}

// prepare is what the package's own tests do to every Scheduler, before its options.
var prepare Option = func(*Scheduler) {}

// Reactor is the reactor of the loop, for code that makes events of its own.
// The reactor belongs to the loop. It is there once Run has begun.
func (s *Scheduler) Reactor() *reactor.Reactor { return s.reactor }

// Running returns the coroutine whose goroutine is calling, and nil where that
// is no coroutine of s, or one that is giving way: a callback of the loop. It is
// safe from any goroutine, and costs a few nanoseconds.
func (s *Scheduler) Running() *Coroutine {
	k, ok := s.carriers.Get(gid.Get())
	if !ok || !k.runs() {
		return nil
	}
	k.co.expose()
	return k.co
}

// OnLoop reports whether the calling goroutine is the loop of s: a coroutine, or
// a callback that runs between two. It is safe from any goroutine.
func (s *Scheduler) OnLoop() bool {
	_, ok := s.carriers.Get(gid.Get())
	return ok
}

// Now is the time by the scheduler's clock.
func (s *Scheduler) Now() time.Time {
	if s.cfg.clock != nil {
		return s.cfg.clock.Now()
	}
	return time.Now()
}

// mustLoop panics where the caller is not on the loop of s.
func (s *Scheduler) mustLoop(what string) {
	if !s.OnLoop() {
		misuse("%s off its loop: %w", what, ErrForeignGoroutine)
	}
}

// maxIdle bounds the free lists of a scheduler.
const maxIdle = 1024
