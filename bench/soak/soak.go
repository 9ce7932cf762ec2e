package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

// Soak says how to do it, and does it.
type Soak struct {
	Time   time.Duration // in all, about: what has begun is finished
	Wave   time.Duration // of each wave of mixed traffic
	Seed   uint64
	AtOnce int           // connections at a time, in mixed traffic
	Crowd  int           // connections killed at once; fewer where the system does not allow so many
	Stall  time.Duration // how long the loop may be held
	Log    io.Writer

	waves       uint64
	connections int
	bytes       int64
	cancelled   int
	longest     time.Duration
}

// maxGrowth is how much more memory may be in use at the end than after the first
// waves: much less than a leak in any of thousands of connections comes to.
const maxGrowth = 8 << 20

// hung is how long a wave may take on top of its time.
const hung = time.Minute

// Run soaks until the time is over, or ctx ends, or something is wrong. The error
// says what.
func (s *Soak) Run(ctx context.Context) error {
	limit := descriptorLimit()
	crowd, atOnce := connectionsWithin(limit, s.Crowd), connectionsWithin(limit, s.AtOnce)
	fmt.Fprintf(s.Log, "seed %d, %d connections at once, crowds of %d (%d descriptors are allowed)\n", s.Seed, atOnce, crowd, limit)
	cycle := []struct {
		name    string
		traffic func(w *wave) func(context.Context) error
	}{
		{"mixed", func(w *wave) func(context.Context) error {
			return func(ctx context.Context) error { return w.mixed(ctx, s.Wave, false) }
		}},
		{"crowd", func(w *wave) func(context.Context) error {
			w.crowded, w.bufferBits = true, 7
			return func(ctx context.Context) error { return w.crowd(ctx, crowd) }
		}},
		{"abrupt", func(w *wave) func(context.Context) error {
			return func(ctx context.Context) error { return w.mixed(ctx, s.Wave, true) }
		}},
	}
	if err := openNetworking(); err != nil {
		return err
	}
	start := time.Now()
	first := footprint{descriptors: descriptors(), goroutines: runtime.NumGoroutine()}
	last := first
	for cycles := 0; cycles < 2 || time.Since(start) < s.Time; cycles++ {
		for _, c := range cycle {
			s.waves++
			w := newWave(c.name, s.Seed, s.waves, atOnce)
			if err := s.wave(ctx, w, c.traffic(w)); err != nil {
				return err
			}
			last = settled(first)
			s.progress(w, last)
			if err := left(first, last); err != nil {
				return err
			}
		}
		if cycles == 0 {
			// What the runtime keeps of so many goroutines is not lost.
			first.memory = last.memory
		}
	}
	if last.memory > first.memory+maxGrowth {
		return fmt.Errorf("soak: memory has grown: %v after the first waves, %v in the end", first, last)
	}
	fmt.Fprintf(s.Log, "ok: %d waves, %d connections, %.0f MiB, %d cancellations, the loop was held for %v at most\nafter the first waves %v, in the end %v\n",
		s.waves, s.connections, float64(s.bytes)/(1<<20), s.cancelled, s.longest.Round(time.Microsecond), first, last)
	return nil
}

// openNetworking has the runtime open what it keeps for networking.
func openNetworking() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("soak: %w", err)
	}
	return l.Close()
}

// left is why what is left behind, with regard to the beginning, is too much.
func left(first, last footprint) error {
	if last.descriptors == first.descriptors && last.goroutines <= first.goroutines {
		return nil
	}
	var stacks bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1) // into memory
	return fmt.Errorf("soak: %v at the beginning, %v are left\n%s", first, last, stacks.String())
}

// wave runs one wave and adds it up.
func (s *Soak) wave(ctx context.Context, w *wave, traffic func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- w.run(ctx, traffic) }()
	select {
	case err := <-done:
		if ctx.Err() != nil {
			return fmt.Errorf("soak: %w", ctx.Err())
		}
		if err != nil {
			return errors.Join(err, faultsOf(w, w.faults))
		}
	case <-time.After(s.Wave + hung):
		var stacks bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1) // into memory
		return fmt.Errorf("soak: wave %s hangs\n%s", w.name, stacks.String())
	}
	transferred, faults := w.ledger.close()
	s.connections += len(w.clients)
	s.bytes += transferred
	s.cancelled += w.cancelled
	s.longest = max(s.longest, w.stall.longest)
	if w.stall.longest > s.Stall {
		w.fault("the loop was held for %v", w.stall.longest)
	}
	return faultsOf(w, append(w.faults, faults...))
}

// faultsOf is an error that tells some of what was wrong in a wave, nil where nothing was.
func faultsOf(w *wave, faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	const some = 20
	told := faults[:min(some, len(faults))]
	return fmt.Errorf("soak: wave %s: %d faults:\n\t%s", w.name, len(faults), strings.Join(told, "\n\t"))
}

func (s *Soak) progress(w *wave, now footprint) {
	fmt.Fprintf(s.Log, "%3d %-6s %6d connections (%d refused), %5d cancelled, held %8v at most; %v\n",
		s.waves, w.name, len(w.clients), w.dials.Load(), w.cancelled, w.stall.longest.Round(time.Microsecond), now)
}
