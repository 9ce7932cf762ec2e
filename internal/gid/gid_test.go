package gid_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/internal/gid"
)

func TestGetIsStableWithinAGoroutine(t *testing.T) {
	before := gid.Get()
	var grow func(n int) int
	grow = func(n int) int {
		var pad [1024]byte
		if n == 0 {
			return int(pad[0])
		}
		return grow(n-1) + int(pad[n%len(pad)])
	}
	grow(1000) // moves the stack
	runtime.GC()
	runtime.Gosched()
	require.NotZero(t, before)
	require.Equal(t, before, gid.Get())
}

func TestGetDiffersBetweenLiveGoroutines(t *testing.T) {
	const n = 100
	ids := make([]uintptr, n)
	var taken, done sync.WaitGroup
	taken.Add(n)
	done.Add(n)
	release := make(chan struct{})
	for i := range n {
		go func() {
			ids[i] = gid.Get()
			taken.Done()
			<-release
			if gid.Get() != ids[i] {
				t.Errorf("goroutine %d changed its identity", i)
			}
			done.Done()
		}()
	}
	taken.Wait()
	seen := map[uintptr]bool{gid.Get(): true}
	for _, id := range ids {
		require.False(t, seen[id], "two live goroutines share an identity")
		seen[id] = true
	}
	close(release)
	done.Wait()
}

//go:noinline
func whereFrom(pad int) uintptr {
	var buf [64]int
	buf[pad%len(buf)] = pad
	pc := gid.CallerPC()
	runtime.KeepAlive(buf)
	return pc
}

func TestCallerPCIsTheCallersCaller(t *testing.T) {
	frame := gid.Place(whereFrom(3))
	_, file, line, _ := runtime.Caller(0)
	require.Equal(t, file, frame.File)
	require.Equal(t, line-1, frame.Line)
	require.True(t, strings.HasSuffix(frame.Function, "TestCallerPCIsTheCallersCaller"), frame.Function)
	require.Zero(t, gid.Place(0).Line)
}

func BenchmarkGet(b *testing.B) {
	for b.Loop() {
		gid.Get()
	}
}

func BenchmarkCallerPC(b *testing.B) {
	for b.Loop() {
		whereFrom(1)
	}
}
