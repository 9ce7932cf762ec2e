package aio

import (
	"context"
	"errors"
	"os"

	"github.com/trueasync/trueasync-go/reactor"
	"github.com/trueasync/trueasync-go/scheduler"
)

// WaitSignal suspends until one of sigs arrives, and returns it; for its ctx see
// [Listen]. While somebody waits for a signal it does nothing else; with the last
// who does, what it did before is restored. One that arrives between two calls is
// therefore not seen by the second.
func WaitSignal(ctx context.Context, sigs ...os.Signal) (os.Signal, error) {
	if len(sigs) == 0 {
		return nil, errors.New("aio: WaitSignal for no signals")
	}
	return open(ctx, func(ctx context.Context) (os.Signal, error) {
		r := scheduler.Current(ctx).Scheduler().Reactor()
		events := make([]reactor.Event, len(sigs))
		for i, sig := range sigs {
			ev, err := r.NewSignal(sig)
			if err != nil {
				return nil, err
			}
			events[i] = ev
		}
		fired, err := scheduler.Suspend(ctx, events...)
		if err != nil {
			return nil, err
		}
		for i, ev := range events {
			if ev == fired {
				return sigs[i], nil
			}
		}
		return nil, errors.New("aio: resumed before a signal came")
	})
}
