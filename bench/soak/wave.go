package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// wave is one scheduler's life: a server, and clients for it.
//
// What has no lock belongs to the loop.
type wave struct {
	s      *scheduler.Scheduler
	name   string
	atOnce int
	ledger *ledger
	stall  stall

	crowded    bool // every connection is there at the same time, none is cancelled at random
	bufferBits int  // the server's buffers have 64 bytes, doubled fewer times than this

	listeners           []*aio.Listener
	closing             bool // the listeners are closed, or about to be
	acceptors, handling *scheduler.Scope
	handlers            map[*handler]bool // whose hook has not run
	accepted, hooked    int
	victims             victims
	cancelled           int

	stopping atomic.Bool    // no client begins any more
	broken   atomic.Bool    // the wave has ended in the midst of traffic
	outside  sync.WaitGroup // goroutines that are not the loop's
	dials    atomic.Int64   // that were refused, for a reason that is no fault

	mu      sync.Mutex
	rng     *rand.Rand
	clients []*client // that have been connected
	faults  []string
}

func newWave(name string, seed, number uint64, atOnce int) *wave {
	return &wave{
		name:       name,
		atOnce:     atOnce,
		ledger:     newLedger(number << 32),
		bufferBits: 11,
		handlers:   make(map[*handler]bool),
		rng:        rand.New(rand.NewPCG(seed, number)),
	}
}

// newRand is a source of its own for somebody. It is safe from any goroutine.
func (w *wave) newRand() *rand.Rand {
	w.mu.Lock()
	defer w.mu.Unlock()
	return rand.New(rand.NewPCG(w.rng.Uint64(), w.rng.Uint64()))
}

// fault notes what is wrong. It is safe from any goroutine.
func (w *wave) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// connected notes a client that has been connected. It is safe from any goroutine.
func (w *wave) connected(c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clients = append(w.clients, c)
}

// refused judges a dial that has failed. It is safe from any goroutine.
func (w *wave) refused(err error) {
	for _, fine := range []error{
		context.Canceled, context.DeadlineExceeded, // as was asked for
		syscall.EAGAIN,        // a unix listener whose backlog is full
		syscall.EADDRNOTAVAIL, // every port waits for its last connection to be forgotten
	} {
		if errors.Is(err, fine) {
			w.dials.Add(1)
			return
		}
	}
	if !w.broken.Load() {
		w.fault("dialing: %v", err)
	}
}

// run runs traffic on a scheduler, beside a server, and sums up.
func (w *wave) run(ctx context.Context, traffic func(ctx context.Context) error) error {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	defer os.RemoveAll(dir)
	w.s = scheduler.New(scheduler.WithWorkers(w.atOnce + 1))
	w.stall.watch(w.s)
	err = w.s.Run(ctx, func(ctx context.Context) error {
		w.acceptors, w.handling = scheduler.NewScope(ctx), scheduler.NewScope(ctx)
		if err := w.listen(ctx, filepath.Join(dir, "listener")); err != nil {
			return err
		}
		defer func() { // whatever comes of the traffic, Run waits for the foreigners
			w.stopping.Store(true)
			w.closeListeners()
		}()
		return traffic(ctx)
	})
	w.stopping.Store(true) // also where it never came to that
	w.outside.Wait()
	w.stall.end()
	w.leave()
	if err != nil {
		return fmt.Errorf("soak: wave %s: %w", w.name, err)
	}
	return nil
}

// address is a listener's, chosen at random.
func (w *wave) address(rng *rand.Rand) (network, address string) {
	a := w.listeners[rng.IntN(len(w.listeners))].Addr()
	return a.Network(), a.String()
}

// drain waits until all clients have ended, closes the server, and waits for that.
func (w *wave) drain(ctx context.Context, clients *scheduler.Scope) error {
	w.stopping.Store(true)
	if err := clients.AwaitCompletion(ctx); err != nil {
		return err
	}
	_, err := scheduler.Offload(ctx, func(context.Context) (struct{}, error) {
		w.outside.Wait()
		return struct{}{}, nil
	}).Await(ctx)
	if err != nil {
		return err
	}
	w.closeListeners()
	for _, scope := range []*scheduler.Scope{w.acceptors, w.handling} {
		if err := scope.AwaitCompletion(ctx); err != nil {
			return err
		}
	}
	return nil
}

// closeListeners closes the listeners, where that has not been done.
func (w *wave) closeListeners() {
	if w.closing {
		return
	}
	w.closing = true
	for _, l := range w.listeners {
		if err := l.Close(); err != nil {
			w.fault("closing a listener: %v", err)
		}
	}
}

// leave closes what clients have left open, and looks what the loop has left.
func (w *wave) leave() {
	for _, c := range w.clients {
		left := c.kind == silent && !c.account.clientBroke.Load()
		if left {
			c.conn.Close() // a stranger's; the others have ended with the loop
		} else if n := c.closes.Load(); n != 1 && !w.broken.Load() {
			w.fault("connection %d was closed %d times", c.account.id, n)
		}
	}
	if w.hooked != w.accepted || len(w.handlers) > 0 {
		w.fault("%d connections were accepted, the hooks of %d have run, %d are registered",
			w.accepted, w.hooked, len(w.handlers))
	}
}

// torment cancels some victims every now and then, until the wave is about to end.
func (w *wave) torment(ctx context.Context) error {
	rng := w.newRand()
	for !w.stopping.Load() {
		if err := scheduler.Sleep(ctx, time.Duration(rng.IntN(2000))*time.Microsecond); err != nil {
			return err
		}
		for range rng.IntN(w.atOnce/20 + 2) {
			if victim := w.victims.pick(rng); victim != nil {
				w.cancel(victim, rng.IntN(2) == 0)
			}
		}
	}
	return nil
}

// cancel cancels c, from the loop or from another goroutine.
func (w *wave) cancel(c *scheduler.Coroutine, outside bool) {
	w.cancelled++
	if outside {
		w.outside.Go(func() { c.Cancel(errTormented) })
	} else {
		c.Cancel(errTormented)
	}
}

var errTormented = errors.New("soak: cancelled at random")
