package main

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/trueasync/trueasync-go/scheduler"
)

const (
	// crowdPace is the time between two requests of most of a crowd.
	crowdPace = 500 * time.Millisecond
	// crowdFlood: one in so many knows no pace.
	crowdFlood = 1001
)

// crowd has so many connections at the same time, half of them of coroutines, and
// kills all of them in the midst of their traffic: by cancelling who uses them, by
// resetting them from two goroutines at once, by cancelling the server's end.
func (w *wave) crowd(ctx context.Context, count int) error {
	clients := scheduler.NewScope(ctx)
	var flowing atomic.Int64
	crowd := make([]*client, count)
	selves := make([]*scheduler.Coroutine, count) // of those that are coroutines
	for i := range crowd {
		c := &client{
			w: w, rng: w.newRand(), kind: echo, volume: math.MaxInt64, chunk: 64,
			flowing: func() { flowing.Add(1) },
			pace:    crowdPace,
		}
		if (i+1)%crowdFlood == 0 {
			c.pace, c.chunk = 0, 4<<10
		}
		crowd[i] = c
		network, address := w.address(c.rng)
		if i%2 == 0 {
			c.hands = stranger{}
			w.outside.Go(func() { c.run(network, address) })
			continue
		}
		selves[i] = scheduler.Go(ctx, func(ctx context.Context) error {
			c.hands = coroutine{w: w, ctx: ctx, rng: c.rng}
			c.run(network, address)
			return nil
		}, scheduler.In(clients))
		if i%64 == 1 { // the strangers' share of the processor
			if err := scheduler.Sleep(ctx, time.Millisecond); err != nil {
				return err
			}
		}
	}
	for flowing.Load()+w.dials.Load() < int64(count) || len(w.handlers) != int(flowing.Load()) {
		if err := scheduler.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	w.kill(crowd)
	return w.drain(ctx, clients)
}

// kill ends the connections of a crowd, all in one go of the loop.
func (w *wave) kill(crowd []*client) {
	serving := make(map[uint64]*handler)
	for h := range w.handlers {
		serving[h.account.id] = h
	}
	for i, c := range crowd {
		if c.account == nil {
			continue // was refused
		}
		switch i / 2 % 3 {
		case 0:
			c.account.clientBroke.Store(true)
			c.close(false)
		case 1:
			c.account.clientBroke.Store(true)
			for range 2 {
				w.outside.Go(func() { c.close(true) })
			}
		case 2:
			c.account.serverBroke.Store(true)
			w.cancel(serving[c.account.id].self, false)
		}
	}
}
