//go:build unix

package aio_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// numbers is the endless stream 0, 1, 2… as bytes: whoever reads it knows at each
// place what must come.
type numbers struct{ at uint64 }

func (s *numbers) fill(b []byte) {
	for i := range b {
		b[i] = s.byteAt(s.at + uint64(i))
	}
}

func (*numbers) byteAt(at uint64) byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], at/8)
	return b[at%8] ^ byte(at)
}

func (s *numbers) check(b []byte) bool {
	for i, got := range b {
		if got != s.byteAt(s.at+uint64(i)) {
			return false
		}
	}
	s.at += uint64(len(b))
	return true
}

// over reports whether err is one of those that the random ends of a connection give.
func over(err error) bool {
	var op *net.OpError
	return err == io.EOF || errors.As(err, &op)
}

// interrupted reports whether c works again after err.
func interrupted(c *aio.Conn, err error) bool {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return c.SetDeadline(time.Time{}) == nil
	}
	return errors.Is(err, context.Canceled)
}

// Connections are used from coroutines and other goroutines, cancelled, timed out, half
// closed, reset and abandoned at random. What arrives is a beginning of what was sent;
// where nobody was reset it is all of what was reported as sent; nothing is left.
func TestSoak(t *testing.T) {
	const conns = 100
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var alive atomic.Int64
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		var all []*scheduler.Coroutine
		for range conns {
			a, err := aio.Dial(ctx, "tcp", l.Addr().String())
			require.NoError(t, err)
			accepted, err := l.Accept()
			require.NoError(t, err)
			b := accepted.(*aio.Conn)
			var sent atomic.Uint64
			reset := random.IntN(8) == 0
			size, limit := 1+random.IntN(30_000), uint64(random.IntN(1<<17))

			send := func() {
				defer alive.Add(-1)
				stream := &numbers{}
				buf := make([]byte, size)
				for stream.at < limit {
					stream.fill(buf)
					n, err := a.Write(buf)
					stream.at += uint64(n)
					sent.Store(stream.at)
					if interrupted(a, err) {
						continue
					}
					if err != nil {
						if !over(err) {
							t.Error("write:", err)
						}
						break
					}
				}
				if reset {
					_ = a.SetLinger(0)
				} else {
					_ = a.CloseWrite()
				}
				_ = a.Close()
			}
			receive := func() {
				defer alive.Add(-1)
				stream := &numbers{}
				buf := make([]byte, 1+size/2)
				var err error
				for {
					var n int
					n, err = b.Read(buf)
					if !stream.check(buf[:n]) {
						t.Error("what came is not what was sent")
						break
					}
					if err != nil && !interrupted(b, err) {
						break
					}
				}
				if !reset && err == io.EOF && stream.at != sent.Load() {
					t.Errorf("%d bytes of %d have come", stream.at, sent.Load())
				}
				_ = b.Close()
			}
			for _, work := range []func(){send, receive} {
				alive.Add(1)
				if random.IntN(4) == 0 {
					go work()
					continue
				}
				c := scheduler.Go(ctx, func(context.Context) error {
					work()
					return nil
				})
				if random.IntN(3) == 0 {
					scheduler.Go(ctx, func(ctx context.Context) error {
						err := scheduler.Sleep(ctx, time.Duration(random.IntN(1000))*time.Microsecond)
						c.Cancel(nil)
						return err
					})
				}
				all = append(all, c)
			}
			if random.IntN(3) == 0 {
				c := []*aio.Conn{a, b}[random.IntN(2)]
				for range 3 {
					_ = c.SetDeadline(time.Now().Add(time.Duration(random.IntN(1000)) * time.Microsecond))
					require.NoError(t, scheduler.Yield(ctx))
				}
				_ = c.SetDeadline(time.Time{})
			}
		}
		for _, c := range all {
			require.NoError(t, c.Await(ctx))
		}
		for alive.Load() > 0 {
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		}
		return l.Close()
	})
}
