//go:build linux

package aio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/trueasync/trueasync-go/internal/sys"
	"github.com/trueasync/trueasync-go/reactor/aio"
	"github.com/trueasync/trueasync-go/scheduler"
)

// Faults that others have shipped, at the level of connections. Each test is named
// after the fault's id. NB-3, a hook that is called with a lock held, cannot happen:
// there are no hooks, and what is locked is never held over a call of the user's.

// descriptor is the number of a connection's descriptor.
func descriptor(t testing.TB, c interface {
	SyscallConn() (syscall.RawConn, error)
}) (number int) {
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) { number = int(fd) }))
	return number
}

// successor is a connection, and its peer, whose descriptor has the number fd.
func successor(t testing.TB, ctx context.Context, fd int) (c, peer *aio.Conn) {
	var others []*aio.Conn
	for {
		a, b := pair(t, ctx)
		if descriptor(t, b) == fd {
			a, b = b, a
		}
		if descriptor(t, a) == fd {
			for _, o := range others {
				require.NoError(t, o.Close())
			}
			return a, b
		}
		others = append(others, a, b)
	}
}

// quiet requires that nothing has come for c.
func quiet(t testing.TB, c *aio.Conn) {
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Millisecond)))
	_, err := c.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, c.SetReadDeadline(time.Time{}))
}

// waits counts the waits for descriptors until the test ends.
func waits(t testing.TB) *atomic.Int64 {
	n := new(atomic.Int64)
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallWait {
			n.Add(1)
		}
		return f
	}))
	return n
}

func TestFault_GN1_CloseBeforeReuse(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		fd := descriptor(t, a)
		var newcomer, peer *aio.Conn
		closed := parked(t, ctx, a, func(_ int, err error) {
			require.ErrorIs(t, err, net.ErrClosed)
			_, err = a.Write([]byte("late"))
			require.ErrorIs(t, err, net.ErrClosed)
		})
		require.NoError(t, a.Close())
		newcomer, peer = successor(t, ctx, fd)
		require.NoError(t, closed.Await(ctx))
		quiet(t, peer)
		return errors.Join(b.Close(), newcomer.Close(), peer.Close())
	})
}

// TR-1 is the same: between the wake-up of a reader and its turn the number of its
// descriptor goes to another.
func TestFault_GN2_NumberReusedBetweenReadinessAndRead(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		fd := descriptor(t, a)
		reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) })
		_, err := b.Write([]byte("for a"))
		require.NoError(t, err)
		wakeUnrun(t, ctx, reader)
		require.NoError(t, a.Close())
		newcomer, peer := successor(t, ctx, fd)
		_, err = peer.Write([]byte("for the newcomer"))
		require.NoError(t, err)
		require.NoError(t, reader.Await(ctx))
		buf := make([]byte, 32)
		n, err := newcomer.Read(buf)
		require.NoError(t, err)
		require.Equal(t, "for the newcomer", string(buf[:n]))
		return errors.Join(b.Close(), newcomer.Close(), peer.Close())
	})
}

func TestFault_TR1_ClosedAndReopenedWhileQueued(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		fd := descriptor(t, a)
		raw, err := a.SyscallConn()
		require.NoError(t, err)
		calls := 0
		reader := scheduler.Go(ctx, func(context.Context) error {
			err := raw.Read(func(uintptr) bool { calls++; return false })
			require.ErrorIs(t, err, net.ErrClosed)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		_, err = b.Write([]byte("x"))
		require.NoError(t, err)
		wakeUnrun(t, ctx, reader)
		require.NoError(t, a.Close())
		newcomer, peer := successor(t, ctx, fd)
		require.NoError(t, reader.Await(ctx))
		require.Equal(t, 1, calls, "nobody touches the newcomer's descriptor")
		return errors.Join(b.Close(), newcomer.Close(), peer.Close())
	})
}

// 5,000 connections are reset in the middle of their traffic: each end is told once,
// and nothing is left.
func TestFault_GN3_KilledMidTraffic(t *testing.T) {
	run(t, func(ctx context.Context) error {
		const batch = 100
		ended := 0
		for range 5000 / batch {
			var all []*scheduler.Coroutine
			for range batch {
				a, b := pair(t, ctx)
				for _, c := range []*aio.Conn{a, b} {
					all = append(all, scheduler.Go(ctx, func(context.Context) error {
						buf := make([]byte, 512)
						var err error
						for err == nil {
							if _, err = c.Write(buf); err == nil {
								_, err = c.Read(buf)
							}
						}
						ended++
						_ = c.Close()
						return nil
					}))
				}
				require.NoError(t, b.SetLinger(0))
				scheduler.Go(ctx, func(ctx context.Context) error {
					_ = scheduler.Yield(ctx)
					return b.Close()
				})
			}
			for _, c := range all {
				require.NoError(t, c.Await(ctx))
			}
		}
		require.Equal(t, 10_000, ended)
		return nil
	})
}

func TestFault_GN5_EndlessPostsStarveNoSocket(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		s := scheduler.Current(ctx).Scheduler()
		over := false
		var again func()
		again = func() {
			if !over {
				_ = s.Post(again)
			}
		}
		again()
		for range 100 {
			_, err := a.Write([]byte("x"))
			require.NoError(t, err)
			_, err = b.Read(make([]byte, 1))
			require.NoError(t, err)
		}
		over = true
		return errors.Join(a.Close(), b.Close())
	})
}

func TestFault_GN6_AcceptSurvives(t *testing.T) {
	for _, errno := range []syscall.Errno{
		syscall.EINTR, syscall.ECONNABORTED, syscall.ECONNRESET,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
	} {
		t.Run(errno.Error(), func(t *testing.T) {
			left := 3
			t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
				if c == sys.CallAccept && left > 0 {
					left--
					f.Errno = errno
				}
				return f
			}))
			run(t, func(ctx context.Context) error {
				a, b := pair(t, ctx)
				return errors.Join(a.Close(), b.Close())
			})
			require.Zero(t, left)
		})
	}
}

// NP-4 is the same: everything before the end, then io.EOF, as often as one asks.
func TestFault_GN7_DataBeforeTheEnd(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, peer := stdPair(t, ctx)
		want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
		go func() {
			_, _ = peer.Write(want)
			peer.Close()
		}()
		got, err := io.ReadAll(a)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
		_, err = a.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		return a.Close()
	})
}

// The peer writes and closes while the reader is parked, or before it comes.
func TestFault_NP4_WriteAndCloseAtOnce(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, early := range []bool{true, false} {
			a, b := pair(t, ctx)
			read := func(n int, err error) {
				require.NoError(t, err)
				require.Equal(t, 4, n)
				_, err = a.Read(make([]byte, 1))
				require.Equal(t, io.EOF, err)
			}
			var reader *scheduler.Coroutine
			if early {
				reader = parked(t, ctx, a, read)
			}
			_, err := b.Write([]byte("last"))
			require.NoError(t, err)
			require.NoError(t, b.Close())
			if early {
				require.NoError(t, reader.Await(ctx))
			} else {
				read(a.Read(make([]byte, 16)))
			}
			require.NoError(t, a.Close())
		}
		return nil
	})
}

func TestFault_GN8_WriteErrorsSurface(t *testing.T) {
	calls := 0
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallWrite {
			f.Limit = 10
			if calls++; calls == 3 {
				f.Errno = syscall.ECONNRESET
			}
		}
		return f
	}))
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		n, err := a.Write(make([]byte, 100))
		require.ErrorIs(t, err, syscall.ECONNRESET)
		require.Equal(t, 20, n, "what was written before")
		n, err = a.Write(make([]byte, 100))
		require.NoError(t, err)
		require.Equal(t, 100, n)
		return errors.Join(a.Close(), b.Close())
	})
}

func TestFault_GN12_ChildrenInheritNothing(t *testing.T) {
	before, err := exec.Command("ls", "/proc/self/fd").Output() // what we inherited ourselves
	require.NoError(t, err)
	run(t, func(ctx context.Context) error {
		dir := t.TempDir()
		l := listen(t, ctx)
		a, b := pair(t, ctx)
		p := packets(t, ctx, "udp", "127.0.0.1:0")
		f, err := aio.Create(ctx, filepath.Join(dir, "f"))
		require.NoError(t, err)
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		watcher, err := aio.Watch(ctx, dir, false)
		require.NoError(t, err)
		out, err := aio.Command(ctx, "ls", "/proc/self/fd").Output()
		require.NoError(t, err)
		require.Equal(t, string(before), string(out))
		var all error
		for _, c := range []io.Closer{l, a, b, p, f, r, w, watcher} {
			all = errors.Join(all, c.Close())
		}
		return all
	})
}

func TestFault_NP1_CloseWhileReadIsBlocked(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, foreign := range []bool{false, true} {
			a, b := pair(t, ctx)
			reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) })
			if foreign {
				_, err := scheduler.Offload(ctx, func(context.Context) (struct{}, error) { return struct{}{}, a.Close() }).Await(ctx)
				require.NoError(t, err)
			} else {
				require.NoError(t, a.Close())
			}
			require.NoError(t, reader.Await(ctx))
			require.NoError(t, b.Close())
		}
		return nil
	})
}

// A buffer is the caller's again when its call returns, also where Close races it:
// the race detector looks on.
func TestFault_NP2_CloseRacesRead(t *testing.T) {
	ctx := background(t)
	for range 300 {
		a, b := pair(t, ctx)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				buf := make([]byte, 16)
				for {
					n, err := a.Read(buf)
					clear(buf)
					if err != nil {
						return
					}
					_ = n
				}
			})
			all.Go(func() {
				buf := make([]byte, 16)
				for {
					_, err := b.Write(buf)
					clear(buf)
					if err != nil {
						return
					}
				}
			})
		}
		all.Go(func() { _ = a.Close() })
		all.Go(func() { _ = b.Close() })
		all.Wait()
	}
}

func TestFault_NP3_BothCloseAtOnce(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l, err := aio.Listen(ctx, "unix", filepath.Join(t.TempDir(), "s"))
		require.NoError(t, err)
		const n = 10_000
		for range n {
			a, err := aio.Dial(ctx, "unix", l.Addr().String())
			require.NoError(t, err)
			b, err := l.Accept()
			require.NoError(t, err)
			one := scheduler.Go(ctx, func(context.Context) error {
				_, _ = a.Read(make([]byte, 1))
				return a.Close()
			})
			two := scheduler.Go(ctx, func(context.Context) error { return b.Close() })
			require.NoError(t, one.Await(ctx))
			require.NoError(t, two.Await(ctx))
		}
		return l.Close()
	})
}

// emfileChild serves with few descriptors, some of which a thief takes whenever there
// are any. It says where, and then, told to, how often it tried to accept meanwhile.
func emfileChild() int {
	openGoPoller() // which could not be opened later
	limit := unix.Rlimit{Cur: 48, Max: 48}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 2
	}
	var tries atomic.Int64
	sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c == sys.CallAccept {
			tries.Add(1)
		}
		return f
	})
	err := scheduler.Run(context.Background(), func(ctx context.Context) error {
		in, err := aio.Stdin(ctx)
		if err != nil {
			return err
		}
		l, err := aio.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		var taken []int
		for fd, err := 0, error(nil); err == nil; {
			if fd, err = unix.Dup(0); err == nil {
				taken = append(taken, fd)
			}
		}
		thief := scheduler.Go(ctx, func(ctx context.Context) error {
			for len(taken) > 0 {
				if fd, err := unix.Dup(0); err == nil {
					_ = unix.Close(fd)
				}
				if err := scheduler.Sleep(ctx, time.Millisecond); err != nil {
					return err
				}
			}
			return nil
		})
		server := scheduler.Spawn(ctx, func(ctx context.Context) (int, error) {
			for n := 0; ; n++ {
				c, err := l.Accept()
				if errors.Is(err, net.ErrClosed) {
					return n, nil
				}
				if err != nil {
					return n, err
				}
				_, _ = c.Write([]byte("x"))
				_ = c.Close()
			}
		})
		fmt.Println(l.Addr())
		cpu := func() time.Duration {
			var u unix.Rusage
			_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
			return time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		if _, err := in.Read(make([]byte, 1)); err != nil { // they have all dialed
			return err
		}
		before, used := tries.Load(), cpu()
		if err := scheduler.Sleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
		fmt.Println(tries.Load()-before, cpu()-used < 250*time.Millisecond)
		for _, fd := range taken {
			_ = unix.Close(fd)
		}
		taken = nil
		if err := thief.Await(ctx); err != nil {
			return err
		}
		if _, err := in.Read(make([]byte, 1)); err != nil { // they have all been served
			return err
		}
		if err := l.Close(); err != nil {
			return err
		}
		n, err := server.Await(ctx)
		fmt.Println(n)
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func init() { children["emfile"] = emfileChild }

// NB-6 and LU-3 are the same.
func TestFault_NP6_OutOfDescriptors(t *testing.T) {
	cmd := child("emfile")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	var address string
	_, err = fmt.Fscanln(out, &address)
	require.NoError(t, err)
	const storm = 100
	var conns []net.Conn
	for range storm {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		conns = append(conns, c)
	}
	_, err = in.Write([]byte("x"))
	require.NoError(t, err)
	var tries, served int
	var idle bool
	_, err = fmt.Fscanln(out, &tries, &idle)
	require.NoError(t, err)
	require.LessOrEqual(t, tries, 10)
	require.True(t, idle, "it waits, it does not spin")
	for _, c := range conns {
		_, err := c.Read(make([]byte, 1))
		require.NoError(t, err, "served once there are descriptors again")
		c.Close()
	}
	_, err = in.Write([]byte("x"))
	require.NoError(t, err)
	_, err = fmt.Fscanln(out, &served)
	require.NoError(t, err)
	require.Equal(t, storm, served)
	require.NoError(t, cmd.Wait())
}

// NP-7: an error event wakes both directions, once, and the system call decides.
func TestFault_NP7_ResetWakesBothDirections(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, peer := stdPair(t, ctx)
		reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, syscall.ECONNRESET) })
		writer := scheduler.Go(ctx, func(context.Context) error {
			_, err := a.Write(make([]byte, 64<<20))
			require.Error(t, err)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, peer.SetLinger(0))
		require.NoError(t, peer.Close())
		require.NoError(t, reader.Await(ctx))
		require.NoError(t, writer.Await(ctx))
		return a.Close()
	})
}

// NP-8: every call is interrupted, each time once.
func TestFault_NP8_InterruptedCalls(t *testing.T) {
	interrupted := false
	t.Cleanup(sys.Inject(func(c sys.Call, _ int) (f sys.Fault) {
		if c != sys.CallReady && c != sys.CallOpen && c != sys.CallRegister {
			if interrupted = !interrupted; interrupted {
				f.Errno = syscall.EINTR
			}
		}
		return f
	}))
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		exchange(t, ctx, a, b, 1<<16)
		return errors.Join(a.Close(), b.Close())
	})
}

// exchange sends size bytes each way at once, and requires that they arrive as they
// were.
func exchange(t testing.TB, ctx context.Context, a, b *aio.Conn, size int) {
	data := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	var all []*scheduler.Coroutine
	for _, c := range []*aio.Conn{a, b} {
		all = append(all, scheduler.Go(ctx, func(context.Context) error {
			n, err := c.Write(data)
			require.NoError(t, err)
			require.Equal(t, len(data), n)
			return nil
		}), scheduler.Go(ctx, func(context.Context) error {
			got := make([]byte, len(data))
			_, err := io.ReadFull(c, got)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got))
			return nil
		}))
	}
	for _, c := range all {
		require.NoError(t, c.Await(ctx))
	}
}

func TestFault_NP9_NothingIsNoEnd(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		n, err := a.Read(nil)
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = a.Write(nil)
		require.NoError(t, err)
		require.Zero(t, n)
		require.NoError(t, b.Close())
		n, err = a.Read(nil)
		require.NoError(t, err)
		require.Zero(t, n)
		_, err = a.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		return a.Close()
	})
}

// A dial whose ctx has ended says so, and not that it timed out; nothing is open.
func TestFault_NP11_DialWithACancelledContext(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		within, cancel := context.WithCancel(ctx)
		cancel()
		_, err := aio.Dial(within, "tcp", l.Addr().String())
		require.ErrorIs(t, err, context.Canceled)
		var ne net.Error
		require.True(t, errors.As(err, &ne) && !ne.Timeout())
		return l.Close()
	})
}

func TestFault_NP12_ShutdownWhileAHandlerCloses(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		handler := scheduler.Go(ctx, func(ctx context.Context) error {
			defer b.Close()
			_, err := b.Read(make([]byte, 1))
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, b.Close())
			return err
		})
		require.NoError(t, scheduler.Yield(ctx))
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		_ = handler.Await(context.WithoutCancel(ctx))
		return a.Close()
	})
}

func TestFault_NP13_MethodsAfterClose(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		l := listen(t, ctx)
		p := packets(t, ctx, "udp", "127.0.0.1:0")
		f, err := aio.Open(ctx, os.DevNull)
		require.NoError(t, err)
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		raw, err := a.SyscallConn()
		require.NoError(t, err)
		for _, c := range []io.Closer{a, b, l, p, f, r, w} {
			require.NoError(t, c.Close())
		}
		buf := make([]byte, 1)
		for name, method := range map[string]func() error{
			"Conn.Read":               func() error { _, err := a.Read(buf); return err },
			"Conn.Write":              func() error { _, err := a.Write(buf); return err },
			"Conn.WriteBuffers":       func() error { _, err := a.WriteBuffers(&net.Buffers{buf}); return err },
			"Conn.ReadFrom":           func() error { _, err := a.ReadFrom(strings.NewReader("x")); return err },
			"Conn.WriteTo":            func() error { _, err := a.WriteTo(io.Discard); return err },
			"Conn.Close":              a.Close,
			"Conn.CloseRead":          a.CloseRead,
			"Conn.CloseWrite":         a.CloseWrite,
			"Conn.SetDeadline":        func() error { return a.SetDeadline(time.Now()) },
			"Conn.SetReadDeadline":    func() error { return a.SetReadDeadline(time.Time{}) },
			"Conn.SetWriteDeadline":   func() error { return a.SetWriteDeadline(time.Time{}) },
			"Conn.SetNoDelay":         func() error { return a.SetNoDelay(true) },
			"Conn.SetKeepAliveConfig": func() error { return a.SetKeepAliveConfig(net.KeepAliveConfig{}) },
			"Conn.SetLinger":          func() error { return a.SetLinger(0) },
			"Conn.SetReadBuffer":      func() error { return a.SetReadBuffer(4096) },
			"Conn.SyscallConn":        func() error { _, err := a.SyscallConn(); return err },
			"RawConn.Control":         func() error { return raw.Control(func(uintptr) {}) },
			"RawConn.Read":            func() error { return raw.Read(func(uintptr) bool { return true }) },
			"Listener.Accept":         func() error { _, err := l.Accept(); return err },
			"Listener.Close":          l.Close,
			"Listener.SetDeadline":    func() error { return l.SetDeadline(time.Now()) },
			"Listener.SyscallConn":    func() error { _, err := l.SyscallConn(); return err },
			"PacketConn.ReadFrom":     func() error { _, _, err := p.ReadFrom(buf); return err },
			"PacketConn.WriteTo":      func() error { _, err := p.WriteTo(buf, p.LocalAddr()); return err },
			"PacketConn.WriteTo nowhere": func() error {
				_, err := p.WriteTo(buf, nil)
				return err
			},
			"PacketConn.ReadFromAddrPort": func() error { _, _, err := p.ReadFromAddrPort(buf); return err },
			"PacketConn.WriteToAddrPort":  func() error { _, err := p.WriteToAddrPort(buf, netip.AddrPort{}); return err },
			"File.Read":                   func() error { _, err := f.Read(buf); return err },
			"File.Write":                  func() error { _, err := f.Write(buf); return err },
			"File.ReadAt":                 func() error { _, err := f.ReadAt(buf, -1); return err },
			"File.WriteAt":                func() error { _, err := f.WriteAt(buf, -1); return err },
			"File.Seek":                   func() error { _, err := f.Seek(0, io.SeekStart); return err },
			"File.Sync":                   f.Sync,
			"File.Truncate":               func() error { return f.Truncate(0) },
			"File.Stat":                   func() error { _, err := f.Stat(); return err },
			"File.Close":                  f.Close,
			"Stream.Read":                 func() error { _, err := r.Read(buf); return err },
			"Stream.Write":                func() error { _, err := w.Write(buf); return err },
			"Stream.SetDeadline":          func() error { return r.SetDeadline(time.Now()) },
			"Stream.SyscallConn":          func() error { _, err := r.SyscallConn(); return err },
			"Stream.Close":                r.Close,
			"PacketConn.Close":            p.Close,
			"PacketConn.SetDeadline":      func() error { return p.SetDeadline(time.Now()) },
		} {
			require.ErrorIs(t, method(), net.ErrClosed, name)
			_, err := scheduler.Offload(ctx, func(context.Context) (struct{}, error) { return struct{}{}, method() }).Await(ctx)
			require.ErrorIs(t, err, net.ErrClosed, name+" off the loop")
			called := false
			require.NoError(t, scheduler.Current(ctx).Scheduler().Post(func() { err, called = method(), true }))
			for !called {
				require.NoError(t, scheduler.Yield(ctx))
			}
			require.ErrorIs(t, err, net.ErrClosed, name+" in a callback")
		}
		require.NotEmpty(t, a.LocalAddr().String())
		require.NotEmpty(t, a.RemoteAddr().String())
		require.NotEmpty(t, l.Addr().String())
		return nil
	})
}

// A loop that never rests accepts all the same.
func TestFault_NP14_AcceptOnASaturatedLoop(t *testing.T) {
	run(t, func(ctx context.Context) error {
		l := listen(t, ctx)
		accepted := false
		acceptor := scheduler.Go(ctx, func(context.Context) error {
			for range 10 {
				c, err := l.Accept()
				require.NoError(t, err)
				require.NoError(t, c.Close())
			}
			accepted = true
			return nil
		})
		go func() {
			for range 10 {
				if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
					c.Close()
				}
			}
		}()
		for range 3 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				for turns := 0; !accepted; turns++ {
					if turns > 50_000_000 {
						return errors.New("starved")
					}
					if err := scheduler.Yield(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(t, acceptor.Await(ctx))
		return l.Close()
	})
}

func TestFault_NB5_PeerCloseWakesAReader(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for _, data := range []string{"", "data"} {
			a, b := pair(t, ctx)
			reader := parked(t, ctx, a, func(n int, err error) {
				if data != "" {
					require.NoError(t, err)
					require.Equal(t, len(data), n)
					_, err = a.Read(make([]byte, 1))
				}
				require.Equal(t, io.EOF, err)
			})
			_, err := io.WriteString(b, data)
			require.NoError(t, err)
			require.NoError(t, b.Close())
			require.NoError(t, reader.Await(ctx))
			require.NoError(t, a.Close())
		}
		return nil
	})
}

// A writer whose peer does not read is suspended: nothing is kept for it but what the
// system keeps.
func TestFault_NB7_SlowReaderSuspendsTheWriter(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		written := 0
		writer := scheduler.Go(ctx, func(context.Context) error {
			chunk := make([]byte, 64<<10)
			for {
				n, err := a.Write(chunk)
				written += n
				if err != nil {
					return nil
				}
			}
		})
		for last := -1; last != written || writer.State() != scheduler.Suspended; {
			last = written
			require.NoError(t, scheduler.Sleep(ctx, 5*time.Millisecond))
		}
		require.Less(t, written, 32<<20)
		require.NoError(t, a.Close())
		require.NoError(t, writer.Await(ctx))
		n, err := io.Copy(io.Discard, b)
		require.NoError(t, err)
		require.EqualValues(t, written, n)
		return b.Close()
	})
}

func TestFault_NB8_ShutdownWithManyConnections(t *testing.T) {
	for _, n := range []int{0, 1, 300} {
		run(t, func(ctx context.Context) error {
			for range n {
				a, b := pair(t, ctx)
				for _, c := range []*aio.Conn{a, b} {
					scheduler.Go(ctx, func(context.Context) error {
						_, err := c.Read(make([]byte, 1)) // and nobody closes it
						return err
					})
				}
			}
			require.NoError(t, scheduler.Yield(ctx))
			scheduler.Current(ctx).Scheduler().Shutdown(nil)
			return nil
		})
	}
}

// Run returns after the clean-up of every connection's coroutine.
func TestFault_NB9_RunReturnsAfterCleanUp(t *testing.T) {
	cleaned := 0
	run(t, func(ctx context.Context) error {
		for range 10 {
			a, b := pair(t, ctx)
			scheduler.Go(ctx, func(ctx context.Context) error {
				defer func() {
					_ = scheduler.Sleep(context.WithoutCancel(ctx), time.Millisecond)
					_ = a.Close()
					_ = b.Close()
					cleaned++
				}()
				_, err := a.Read(make([]byte, 1))
				return err
			})
		}
		require.NoError(t, scheduler.Yield(ctx))
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	})
	require.Equal(t, 10, cleaned)
}

// A deadline holds from the start, and one that is replaced leaves no timer.
func TestFault_NB11_DeadlineBeforeTheFirstRead(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		r := scheduler.Current(ctx).Scheduler().Reactor()
		for i := range 1000 {
			require.NoError(t, a.SetDeadline(time.Now().Add(time.Duration(i)*time.Hour)))
		}
		_, armed := r.NextTimer()
		require.False(t, armed)
		require.NoError(t, a.SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err := a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		_, armed = r.NextTimer()
		require.False(t, armed)
		require.NoError(t, b.SetReadDeadline(time.Now().Add(time.Hour)))
		reader := parked(t, ctx, b, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) })
		_, armed = r.NextTimer()
		require.True(t, armed)
		require.NoError(t, b.Close())
		_, armed = r.NextTimer()
		require.False(t, armed)
		require.NoError(t, reader.Await(ctx))
		return a.Close()
	})
}

// Of a closed connection whose deadline has passed it is said that it is closed; a
// deadline that has passed can be moved.
func TestFault_GO3_DeadlineAndClose(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		require.NoError(t, a.SetDeadline(time.Unix(1, 0)))
		_, err := a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		_, err = a.Write(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		var ne net.Error
		require.True(t, errors.As(err, &ne) && ne.Timeout())
		require.NoError(t, a.SetDeadline(time.Now().Add(time.Hour)))
		_, err = a.Write([]byte("x"))
		require.NoError(t, err)
		_, err = b.Write([]byte("x"))
		require.NoError(t, err)
		_, err = a.Read(make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, a.SetDeadline(time.Unix(1, 0)))
		require.NoError(t, a.Close())
		_, err = a.Read(make([]byte, 1))
		require.ErrorIs(t, err, net.ErrClosed)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
		return b.Close()
	})
}

// GO-1, a stale report about a number that is another's, and GO-4, a read behind the
// poller's back: nobody waits for what has come already.
func TestFault_GO4_RawReadsAndDeadlines(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		raw, err := a.SyscallConn()
		require.NoError(t, err)
		for range 10 {
			_, err = b.Write([]byte("12"))
			require.NoError(t, err)
			require.NoError(t, raw.Read(func(fd uintptr) bool {
				_, err := unix.Read(int(fd), make([]byte, 1))
				return err != unix.EAGAIN
			}))
			_, err = a.Read(make([]byte, 16)) // the other byte is there
			require.NoError(t, err)
			require.NoError(t, a.SetReadDeadline(time.Now().Add(time.Millisecond)))
			err = raw.Read(func(fd uintptr) bool {
				_, err := unix.Read(int(fd), make([]byte, 1))
				return err != unix.EAGAIN
			})
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			require.NoError(t, a.SetReadDeadline(time.Time{}))
		}
		return errors.Join(a.Close(), b.Close())
	})
}

func TestFault_GO1_StaleReportsReachNobody(t *testing.T) {
	run(t, func(ctx context.Context) error {
		for range 50 {
			a, b := pair(t, ctx)
			fd := descriptor(t, a)
			reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) })
			_, err := b.Write([]byte("x")) // lies in the kernel when a closes
			require.NoError(t, err)
			require.NoError(t, a.Close())
			newcomer, peer := successor(t, ctx, fd)
			quiet(t, newcomer)
			require.NoError(t, reader.Await(ctx))
			require.NoError(t, errors.Join(b.Close(), newcomer.Close(), peer.Close()))
		}
		return nil
	})
}

// Much data through small buffers, both ways, while the loop is woken again and again.
func TestFault_EV1_MuchThroughLittle(t *testing.T) {
	run(t, func(ctx context.Context) error {
		path := filepath.Join(t.TempDir(), "s")
		l, err := aio.Listen(ctx, "unix", path)
		require.NoError(t, err)
		a, err := aio.Dial(ctx, "unix", path)
		require.NoError(t, err)
		accepted, err := l.Accept()
		require.NoError(t, err)
		b := accepted.(*aio.Conn)
		require.NoError(t, a.SetWriteBuffer(4096))
		require.NoError(t, b.SetWriteBuffer(4096))
		s := scheduler.Current(ctx).Scheduler()
		over := make(chan struct{})
		waker := scheduler.Offload(ctx, func(context.Context) (struct{}, error) {
			for {
				select {
				case <-over:
					return struct{}{}, nil
				default:
					_ = s.Post(func() {})
				}
			}
		})
		exchange(t, ctx, a, b, 32<<20)
		close(over)
		_, err = waker.Await(ctx)
		require.NoError(t, err)
		return errors.Join(a.Close(), b.Close(), l.Close())
	})
}

// A socket that lives on in a duplicate causes no wake-up once ours is closed.
func TestFault_LU2_ClosedButDuplicated(t *testing.T) {
	n := waits(t)
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) })
		dup, err := unix.Dup(descriptor(t, a))
		require.NoError(t, err)
		defer unix.Close(dup)
		require.NoError(t, a.Close())
		require.NoError(t, reader.Await(ctx))
		// Something to wait for, so that the loop looks at descriptors.
		c, d := pair(t, ctx)
		other := parked(t, ctx, c, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) })
		_, err = b.Write([]byte("nobody reads this"))
		require.NoError(t, err)
		before := n.Load()
		require.NoError(t, scheduler.Sleep(ctx, 30*time.Millisecond))
		require.Less(t, n.Load()-before, int64(10))
		require.NoError(t, c.Close())
		require.NoError(t, other.Await(ctx))
		return errors.Join(b.Close(), d.Close())
	})
}

// TK-6 is the chatty half of it: connections that nobody reads from cost no wake-ups
// either.
func TestFault_TK6_IdleConnectionsCostNothing(t *testing.T) {
	n := waits(t)
	run(t, func(ctx context.Context) error {
		var all []*aio.Conn
		var readers []*scheduler.Coroutine
		var peers []*aio.Conn
		for range 50 {
			a, b := pair(t, ctx)
			readers = append(readers, parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, net.ErrClosed) }))
			idle, chatty := pair(t, ctx)
			gone := parked(t, ctx, idle, func(_ int, err error) { require.ErrorIs(t, err, os.ErrDeadlineExceeded) })
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond)) // the loop knows it from then on
			require.NoError(t, idle.SetReadDeadline(time.Unix(1, 0)))
			require.NoError(t, gone.Await(ctx))
			all = append(all, a, b, idle, chatty)
			peers = append(peers, chatty)
		}
		require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		before := n.Load()
		require.NoError(t, scheduler.Sleep(ctx, 30*time.Millisecond))
		require.Less(t, n.Load()-before, int64(6), "quiet peers")
		talk := func() {
			for _, p := range peers {
				_, err := p.Write([]byte("x"))
				require.NoError(t, err)
			}
			require.NoError(t, scheduler.Sleep(ctx, time.Millisecond))
		}
		for range 5 { // until the loop has lost interest
			talk()
		}
		before = n.Load()
		for range 10 {
			talk()
		}
		require.Less(t, n.Load()-before, int64(60), "chatty peers")
		for _, c := range all {
			require.NoError(t, c.Close())
		}
		for _, r := range readers {
			require.NoError(t, r.Await(ctx))
		}
		return nil
	})
}

func TestFault_LU9_NoSignalForABrokenPipe(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, peer := stdPair(t, ctx)
		require.NoError(t, peer.SetLinger(0))
		require.NoError(t, peer.Close())
		var err error
		for err == nil {
			_, err = a.Write([]byte("x"))
		}
		require.True(t, errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET), err)
		_, err = a.Write([]byte("x"))
		require.ErrorIs(t, err, syscall.EPIPE)
		b := net.Buffers{[]byte("x"), []byte("y")}
		_, err = a.WriteBuffers(&b)
		require.ErrorIs(t, err, syscall.EPIPE)
		r, w, err := aio.Pipe(ctx)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		_, err = w.Write([]byte("x"))
		require.ErrorIs(t, err, syscall.EPIPE)
		return errors.Join(a.Close(), w.Close())
	})
}

// What had come before a reset is read before the error, where the system still has
// it; an end of one direction leaves the other.
func TestFault_LU8_HalfOpenAndReset(t *testing.T) {
	n := waits(t)
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		require.NoError(t, a.CloseWrite())
		_, err := b.Read(make([]byte, 1))
		require.Equal(t, io.EOF, err)
		before := n.Load()
		require.NoError(t, scheduler.Sleep(ctx, 20*time.Millisecond))
		require.Less(t, n.Load()-before, int64(6), "a half-open peer causes no wake-ups")
		_, err = b.Write([]byte("still"))
		require.NoError(t, err)
		require.NoError(t, b.CloseWrite())
		got, err := io.ReadAll(a)
		require.NoError(t, err)
		require.Equal(t, "still", string(got))
		return errors.Join(a.Close(), b.Close())
	})
}

// 100 look-ups that nobody answers delay no file and no shutdown.
func TestFault_LU10_SlowLookups(t *testing.T) {
	silent, _ := silentReactor(t)
	run(t, func(ctx context.Context) error {
		for i := range 100 {
			scheduler.Go(ctx, func(ctx context.Context) error {
				_, err := aio.LookupHost(ctx, fmt.Sprintf("host%d.example.", i))
				return err
			})
		}
		require.NoError(t, scheduler.Yield(ctx))
		f, err := aio.Create(ctx, filepath.Join(t.TempDir(), "f"))
		require.NoError(t, err)
		_, err = f.Write([]byte("x"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	}, silent)
}

// A write that is interrupted midway tells how much the peer will get; a read that is
// interrupted has taken nothing.
func TestFault_TK7_WhatAnInterruptionLoses(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		written := 0
		writer := scheduler.Go(ctx, func(context.Context) error {
			n, err := a.Write(make([]byte, 64<<20))
			require.ErrorIs(t, err, context.Canceled)
			written = n
			return a.Close()
		})
		reader := parked(t, ctx, a, func(_ int, err error) { require.ErrorIs(t, err, context.Canceled) })
		reader.Cancel(nil)
		require.NoError(t, reader.Await(ctx))
		writer.Cancel(nil)
		require.NoError(t, writer.Await(ctx))
		require.NotZero(t, written)
		got, err := io.Copy(io.Discard, b)
		require.NoError(t, err)
		require.EqualValues(t, written, got)
		return b.Close()
	})
}

func TestFault_TA9_ResetWakesAWriter(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, peer := stdPair(t, ctx)
		writer := scheduler.Go(ctx, func(context.Context) error {
			_, err := a.Write(make([]byte, 64<<20))
			require.Error(t, err)
			return nil
		})
		require.NoError(t, scheduler.Yield(ctx))
		require.Equal(t, scheduler.Suspended, writer.State())
		require.NoError(t, peer.SetLinger(0))
		require.NoError(t, peer.Close())
		require.NoError(t, writer.Await(ctx))
		return a.Close()
	})
}

func TestFault_TA10_KillWakesAReaderOfThePipe(t *testing.T) {
	run(t, func(ctx context.Context) error {
		c := aio.Command(ctx, "sleep", "1000")
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		reader := parked(t, ctx, out, func(_ int, err error) { require.Equal(t, io.EOF, err) })
		require.NoError(t, c.Process.Kill())
		require.NoError(t, reader.Await(ctx))
		require.Error(t, c.Wait())
		return nil
	})
}

// The loop ends although closes, timers and signals are pending.
func TestFault_TA19_ShutdownWithClosesPending(t *testing.T) {
	run(t, func(ctx context.Context) error {
		a, b := pair(t, ctx)
		f, err := aio.Create(ctx, filepath.Join(t.TempDir(), "f"))
		require.NoError(t, err)
		for _, pending := range []func(context.Context){
			func(context.Context) { _, _ = f.Write(make([]byte, 1<<20)) },
			func(ctx context.Context) { _, _ = aio.WaitSignal(ctx, syscall.SIGUSR1) },
			func(context.Context) { _, _ = a.Read(make([]byte, 1)) },
		} {
			scheduler.Go(ctx, func(ctx context.Context) error {
				pending(ctx)
				return nil
			})
		}
		require.NoError(t, a.SetDeadline(time.Now().Add(time.Hour)))
		require.NoError(t, scheduler.Yield(ctx))
		require.NoError(t, f.Close())
		done := make(chan struct{})
		go func() {
			_ = a.Close()
			_ = b.Close()
			close(done)
		}()
		<-done // the closes are queued, and the loop has not come to them
		scheduler.Current(ctx).Scheduler().Shutdown(nil)
		return nil
	})
}

// patient reads again where the deadline that it sets has passed.
type patient struct {
	io.Reader
	setDeadline func(time.Time) error
}

func (p patient) Read(b []byte) (n int, err error) {
	for {
		_ = p.setDeadline(time.Now().Add(10 * time.Millisecond))
		if n, err = p.Reader.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// Each call in turn fails in each way: what arrives is what was sent, or an error
// tells; the loop lives on. A readiness that is lost costs a program with deadlines time
// and nothing else.
func TestFaultsAtEveryCall(t *testing.T) {
	faults := map[string]sys.Fault{
		"EINTR":   {Errno: syscall.EINTR},
		"EAGAIN":  {Errno: syscall.EAGAIN},
		"RESET":   {Errno: syscall.ECONNRESET},
		"ENOBUFS": {Errno: syscall.ENOBUFS},
		"short":   {Limit: 1},
		"double":  {Double: true},
		"lost":    {Lose: true},
	}
	for name, fault := range faults {
		for _, call := range []sys.Call{sys.CallRead, sys.CallWrite, sys.CallReady, sys.CallClose} {
			for nth := 1; nth <= 6; nth++ {
				t.Run(fmt.Sprintf("%s at %v %d", name, call, nth), func(t *testing.T) {
					calls := 0
					on := false
					undo := sys.Inject(func(c sys.Call, fd int) (f sys.Fault) {
						if on && c == call {
							if calls++; calls == nth {
								return fault
							}
						}
						return f
					})
					defer undo()
					run(t, func(ctx context.Context) error {
						a, b := pair(t, ctx)
						on = true
						sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<14)
						var wrote int
						var writeErr error
						writer := scheduler.Go(ctx, func(context.Context) error {
							for wrote < len(sent) && writeErr == nil {
								_ = a.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
								var n int
								n, writeErr = a.Write(sent[wrote:])
								if wrote += n; errors.Is(writeErr, os.ErrDeadlineExceeded) {
									writeErr = nil
								}
							}
							_ = a.Close()
							return nil
						})
						got, readErr := io.ReadAll(patient{b, b.SetReadDeadline})
						_ = b.Close()
						require.NoError(t, writer.Await(ctx))
						require.True(t, bytes.HasPrefix(sent, got))
						if readErr == nil {
							require.Len(t, got, wrote)
						}
						require.Equal(t, writeErr == nil, wrote == len(sent))
						on = false
						c, d := pair(t, ctx)
						exchange(t, ctx, c, d, 1<<12)
						return errors.Join(c.Close(), d.Close())
					})
				})
			}
		}
	}
}
