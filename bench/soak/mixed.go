package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

// errEnough ends a wave in the midst of its traffic.
var errEnough = errors.New("soak: enough")

// mixed has clients of all kinds come and go for a while, half of them coroutines.
// At the end it waits for those that are there, or shuts everything down.
func (w *wave) mixed(ctx context.Context, d time.Duration, abrupt bool) error {
	clients := scheduler.NewScope(ctx)
	scheduler.Go(ctx, w.torment)
	for range max(1, w.atOnce/4) {
		w.outside.Go(func() { w.again(stranger{}) })
		scheduler.Offload(ctx, func(ctx context.Context) (struct{}, error) {
			w.again(foreigner{ctx})
			return struct{}{}, nil
		})
	}
	room := scheduler.NewSemaphore(int64(max(1, w.atOnce/2)))
	for end := w.s.Now().Add(d); w.s.Now().Before(end); {
		if err := room.Acquire(ctx, 1); err != nil {
			return err
		}
		c := scheduler.Go(ctx, func(ctx context.Context) error {
			rng := w.newRand()
			w.once(coroutine{w: w, ctx: ctx, rng: rng}, rng)
			return nil
		}, scheduler.In(clients))
		c.Finally(func(*scheduler.Coroutine) { room.Release(1) })
		w.victims.add(c)
	}
	if abrupt {
		w.stopping.Store(true)
		w.broken.Store(true)
		w.ledger.breakAll()
		w.s.Shutdown(errEnough)
		return nil
	}
	return w.drain(ctx, clients)
}

// again uses one connection after the other until the wave is about to end.
func (w *wave) again(h hands) {
	for !w.stopping.Load() {
		w.once(h, w.newRand())
	}
}

// once uses one connection, which is of a random kind.
func (w *wave) once(h hands, rng *rand.Rand) {
	c := &client{w: w, hands: h, rng: rng, kind: kind(rng.IntN(int(silent))), chunk: 1 << (4 + rng.IntN(10))}
	if c.kind == copied && rng.IntN(4) == 0 {
		c.chunk = 1 << (15 + rng.IntN(3)) // so much that the server has the system move it
	}
	c.volume = 1 + rng.Int64N(16*int64(c.chunk))
	if rng.IntN(50) == 0 {
		c.kind = silent
	}
	if n := rng.IntN(4); n > 1 {
		c.ending = ending(n - 1)
		c.breakAt = rng.Int64N(c.volume)
	}
	c.run(w.address(rng))
}
