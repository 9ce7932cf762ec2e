//go:build linux

package reactor_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor"
)

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		r, err := reactor.New()
		if err != nil {
			b.Fatal(err)
		}
		_ = r.Close()
	}
}

// BenchmarkLook is a tick that finds nothing.
func BenchmarkLook(b *testing.B) {
	for name, prepare := range map[string]func(r *reactor.Reactor){
		"idle":  func(*reactor.Reactor) {},
		"timer": func(r *reactor.Reactor) { mustStart(b, r.NewTimer(time.Hour, 0)) },
		"socket": func(r *reactor.Reactor) {
			a, _ := socketPair(b, r)
			a.Read(make([]byte, 1))
		},
	} {
		b.Run(name, func(b *testing.B) {
			r := newReactor(b)
			prepare(r)
			for b.Loop() {
				_, _ = r.Execute(true)
			}
		})
	}
}

func BenchmarkTimer(b *testing.B) {
	r := newReactor(b)
	for range 1000 {
		mustStart(b, r.NewTimer(time.Hour, 0))
	}
	tm := r.NewTimer(0, 0)
	b.ReportAllocs()
	for b.Loop() {
		tm.Reset(0)
		_ = tm.Start()
		_, _ = r.Execute(true)
	}
}

func BenchmarkWakeRunningLoop(b *testing.B) {
	r := newReactor(b)
	for b.Loop() {
		r.Wake()
	}
}

// BenchmarkEcho is one round trip between two sockets of one loop.
func BenchmarkEcho(b *testing.B) {
	r := newReactor(b)
	x, peer := tcpPair(b, r)
	y := handle(b, r, peer, reactor.TCP)
	var xr, xw, yr, yw reactor.Request
	xb, yb := make([]byte, 128), make([]byte, 128)
	yr.Subscribe(func(err error) {
		require.NoError(b, err)
		y.WriteWith(&yw, yb[:yr.N()])
	})
	b.ReportAllocs()
	for b.Loop() {
		y.ReadWith(&yr, yb)
		x.WriteWith(&xw, xb[:64])
		x.ReadWith(&xr, xb)
		for done, _ := xr.Done(); !done; done, _ = xr.Done() {
			_, _ = r.Execute(false)
		}
	}
}
