package ctxpool_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trueasync/trueasync-go/ctxpool"
)

func TestKeepsTheMinimum(t *testing.T) {
	p := ctxpool.New(2)
	a, b, c := p.Get(), p.Get(), p.Get()
	require.True(t, p.Put(a, 0))
	require.True(t, p.Put(b, 0))
	require.False(t, p.Put(c, 0), "the pool holds its minimum and nothing is runnable")
	require.True(t, p.Put(c, 3), "three coroutines wait, two contexts are idle")
	require.Equal(t, ctxpool.Stats{Idle: 3, Min: 2, Made: 3}, p.Stats())
	p.Close()
	require.Zero(t, p.Live())
	require.Equal(t, uint64(3), p.Stats().Ended)
}

func TestGetTakesTheWarmestFirst(t *testing.T) {
	p := ctxpool.New(ctxpool.DefaultMin)
	defer p.Close()
	a, b := p.Get(), p.Get()
	p.Put(a, 0)
	p.Put(b, 0)
	require.Same(t, b, p.Get())
	require.Same(t, a, p.Get())
	require.Equal(t, uint64(2), p.Stats().Reused)
	p.Put(a, 0)
	p.Put(b, 0)
}

// A body that gives way through Park runs many pieces of work on few contexts.
func TestParkRecyclesAndLetsGo(t *testing.T) {
	before := runtime.NumGoroutine()
	p := ctxpool.New(1)
	work := make([]func(), 0)
	p.SetBody(func(c *ctxpool.Context) {
		for again := true; again; again = p.Park(c, p.Root(), 0) {
			fn := work[0]
			work = work[1:]
			fn()
		}
	})
	ran := 0
	for range 10 {
		work = append(work, func() { ran++ })
		p.Enter(p.Get())
	}
	require.Equal(t, 10, ran)
	require.Equal(t, uint64(1), p.Stats().Made)

	a, b := p.Get(), p.Get()
	work = append(work, func() {}, func() {})
	p.Enter(a)
	p.Enter(b) // the pool holds its minimum, so this one exits
	require.Equal(t, 1, p.Live())
	p.Close()
	require.Zero(t, p.Live())
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

func TestPanicInABodyReachesTheRoot(t *testing.T) {
	p := ctxpool.New(0)
	p.SetBody(func(*ctxpool.Context) { panic("bad body") })
	require.Panics(t, func() { p.Enter(p.Get()) })
	require.Zero(t, p.Live())
	require.Equal(t, uint64(1), p.Stats().Ended)
}

func TestNegativeMinimum(t *testing.T) {
	p := ctxpool.New(-1)
	require.False(t, p.Put(p.Get(), 0))
	require.Zero(t, p.Stats().Min)
}

func Example() {
	p := ctxpool.New(ctxpool.DefaultMin)
	var job string
	p.SetBody(func(c *ctxpool.Context) {
		for again := true; again; again = p.Park(c, p.Root(), 0) {
			fmt.Println(job)
		}
	})
	for _, job = range []string{"one", "two", "three"} {
		p.Enter(p.Get())
	}
	fmt.Println("stacks made:", p.Stats().Made)
	p.Close()
	// Output:
	// one
	// two
	// three
	// stacks made: 1
}

// A pool keeps its minimum, and what coroutines are waiting for.
func ExamplePool_Put() {
	p := ctxpool.New(1)
	a, b := p.Get(), p.Get()
	fmt.Println(p.Put(a, 0))
	fmt.Println(p.Put(b, 0)) // one is idle, and nothing waits to run
	fmt.Println(p.Put(b, 2)) // two coroutines wait
	fmt.Println("idle:", p.Stats().Idle)
	p.Close()
	// Output:
	// true
	// false
	// true
	// idle: 2
}

// Control goes from stack to stack without passing through the root.
func ExampleSwitch() {
	p := ctxpool.New(ctxpool.DefaultMin)
	a, b := p.Get(), p.Get()
	p.SetBody(func(c *ctxpool.Context) {
		if c == b {
			fmt.Println("b")
			ctxpool.Switch(b, a)
		} else {
			fmt.Println("a")
			ctxpool.Switch(a, b)
			fmt.Println("a again")
		}
		p.Park(c, p.Root(), 0)
	})
	p.Enter(a)
	p.Enter(b)
	fmt.Println("back at the root, with", p.Stats().Idle, "idle stacks")
	p.Close()
	fmt.Println(p.Live(), "live")
	// Output:
	// a
	// b
	// a again
	// back at the root, with 2 idle stacks
	// 0 live
}
