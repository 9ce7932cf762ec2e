package main

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// hands are how a client does its work.
type hands interface {
	dial(network, address string) (conn, error)
	// together runs the parts at the same time and waits for all of them. One
	// that never runs, since it was cancelled before, is told to dropped.
	together(dropped func(), parts ...func())
	pause(d time.Duration)
}

// coroutine is a client on the loop, and a victim as are its parts.
type coroutine struct {
	w   *wave
	ctx context.Context
	rng *rand.Rand
}

func (h coroutine) dial(network, address string) (conn, error) {
	ctx := h.ctx
	if h.rng.IntN(10) == 0 {
		var cancel context.CancelFunc
		ctx, cancel = scheduler.WithTimeout(ctx, time.Duration(h.rng.IntN(1000))*time.Microsecond)
		defer cancel()
	}
	return connected(new(aio.Dialer).DialContext(ctx, network, address))
}

func (h coroutine) together(dropped func(), parts ...func()) {
	ctx := context.WithoutCancel(h.ctx)
	var all scheduler.WaitGroup
	all.Add(len(parts))
	for _, part := range parts {
		ran := false
		c := scheduler.Go(ctx, func(context.Context) error {
			ran = true
			part()
			return nil
		})
		h.w.victims.add(c)
		c.Finally(func(*scheduler.Coroutine) {
			if !ran {
				dropped()
			}
			all.Done()
		})
	}
	_ = all.Wait(ctx) // fails only where the scheduler unwinds all of them
}

func (h coroutine) pause(d time.Duration) {
	self := context.WithoutCancel(h.w.s.Running()) // a part's, not h.ctx
	_ = scheduler.Sleep(self, d)                   // fails only where the scheduler unwinds
}

// foreigner is a client that uses package aio from a goroutine of its own.
type foreigner struct{ ctx context.Context }

func (h foreigner) dial(network, address string) (conn, error) {
	return connected(new(aio.Dialer).DialContext(h.ctx, network, address))
}

func (foreigner) together(_ func(), parts ...func()) { concurrently(parts) }

func (foreigner) pause(d time.Duration) { time.Sleep(d) }

// stranger is a client that knows package net only.
type stranger struct{}

func (stranger) dial(network, address string) (conn, error) {
	return connected(net.Dial(network, address))
}

func (stranger) together(_ func(), parts ...func()) { concurrently(parts) }

func (stranger) pause(d time.Duration) { time.Sleep(d) }

func concurrently(parts []func()) {
	var all sync.WaitGroup
	for _, part := range parts {
		all.Go(part)
	}
	all.Wait()
}

func connected(c net.Conn, err error) (conn, error) {
	if err != nil {
		return nil, err
	}
	return c.(conn), nil
}
